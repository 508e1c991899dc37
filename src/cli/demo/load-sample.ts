import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { FindlingClient, IndexView, NamedIndexDraft } from "../../client/index.js";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-codes.js";
import { batchesAfter } from "../import/batches.js";
import { DocumentImporter } from "../import/document-importer.js";
import { findIndex } from "../import/find-index.js";
import { ImportSource } from "../import/import-source.js";
import { RETRY_SECONDS_MAX } from "../import/retry.js";

/** The package's `demo` folder, seen from here as source and as built. */
const SAMPLE = new URL("../../../demo/", import.meta.url);

const START = { records: 0, checksum: null };

/**
 * Brings the sample into an index, which is made if it doesn't exist. An index that holds the sample
 * already stays as it is. True if documents were loaded.
 *
 * @throws CliError `index_exists` if an index of that name holds something else
 */
export async function loadSample(
  client: FindlingClient,
  index: string,
  options: { readonly reset: boolean },
): Promise<boolean> {
  const schema: NamedIndexDraft = {
    ...(JSON.parse(await readFile(new URL("packages.schema.json", SAMPLE), "utf8")) as NamedIndexDraft),
    name: index,
  };
  const existing = await findIndex(client, index);
  if (existing === undefined || options.reset) {
    await client.createIndex(schema, { overrideIfExists: options.reset });
  } else {
    if (!isOfSample(existing, schema)) {
      throw new CliError(
        "index_exists",
        `there is another index '${index}'; load the sample under another name with --index, or replace that index with --reset`,
        undefined,
        EXIT.failed,
      );
    }
    if ((await client.getIndexStats(index)).document_count > 0) return false;
  }
  const source = new ImportSource({
    files: [fileURLToPath(new URL("packages.jsonl.gz", SAMPLE))],
    format: "ndjson",
    onRename: () => undefined,
    onGuess: () => undefined,
  });
  const importer = new DocumentImporter({
    client,
    index,
    commitsByItself: false,
    commitEvery: Number.POSITIVE_INFINITY,
    retrySecondsMax: RETRY_SECONDS_MAX,
    start: START,
    onSkip: undefined,
    saveProgress: () => Promise.resolve(),
    onAdvance: () => undefined,
    signal: new AbortController().signal,
  });
  await importer.run(batchesAfter(START, source.records(), undefined));
  return true;
}

function isOfSample(existing: IndexView, schema: NamedIndexDraft): boolean {
  const names = (fields: object): string => Object.keys(fields).sort().join(" ");
  return names(existing.fields) === names(schema.fields);
}
