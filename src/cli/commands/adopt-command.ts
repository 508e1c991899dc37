import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type { CatalogIndex } from "../../adapters/catalog/adopt-index.js";
import { CliError } from "../cli-error.js";
import { localServer } from "../local-server.js";
import { formatCounted } from "../terminal/format-amount.js";
import type { Output } from "../terminal/output.js";

export interface AdoptOptions {
  readonly dataDir?: string;
  readonly name?: string;
}

const INDEX_NAME = /^[A-Za-z0-9_-]{1,128}$/;

/** `findling adopt STORAGE`: gives an index whose catalog entry was lost an entry again. */
export async function runAdopt(storage: string, options: AdoptOptions, output: Output): Promise<void> {
  const { adoptIndex } = await import("../../adapters/catalog/adopt-index.js");
  const { FileDirectory, glanceAtIndex, keepFolder } = await import("../../engine/server-door.js");
  const { dataDir, secretKey } = await localServer(options.dataDir);
  if (options.name !== undefined && !INDEX_NAME.test(options.name)) {
    const problem = `'${options.name}' can't be the name of an index: it has at most 128 letters, digits, '_' and '-'`;
    throw new CliError("usage", problem);
  }
  // A path is as good: it may have been pasted.
  const storageId = basename(storage);
  const folder = join(dataDir, "indexes", storageId);
  if (!existsSync(join(dataDir, "indexes")))
    throw new CliError(
      "no_data",
      `'${dataDir}' holds no data of a findling server; name the folder that 'findling serve' uses`,
    );
  if (!existsSync(folder))
    throw new CliError(
      "no_data",
      `there is no folder '${folder}'; 'findling check' names those that the catalog has lost`,
    );
  const lock = await (await FileDirectory.open(dataDir, { create: false })).lock();
  try {
    const directory = await FileDirectory.open(folder, { create: false });
    // Before anything is written: what can't be opened is of no use in the catalog.
    const { documentCount } = await glanceAtIndex(directory);
    const { entry, isDerived, lostSecrets } = await entryOf(folder, options.name);
    await adoptIndex(dataDir, { ...entry, storageId }, secretKey);
    await keepFolder(folder);
    const { name } = entry.schema;
    output.result(
      { index: name, storage: storageId, documents: documentCount, settings_from_files: !isDerived },
      `index '${name}' is back, with ${formatCounted(documentCount, "document")}`,
    );
    if (isDerived) {
      output.warn(
        "its fields and analysis are as they were; other settings, synonyms and stopwords have their defaults, since no description was in its folder: set them anew with PATCH",
      );
    }
    if (lostSecrets) output.warn("its 'ai.llm_api_key' belongs to its former name: set it anew");
  } finally {
    await lock.release();
  }
}

interface Entry {
  readonly entry: CatalogIndex;
  /** Whether it was made of the index's own schema, for want of a description. */
  readonly isDerived: boolean;
  readonly lostSecrets: boolean;
}

async function entryOf(folder: string, name: string | undefined): Promise<Entry> {
  const { readIndexDescription } = await import("../../adapters/catalog/index-description.js");
  const described = readIndexDescription(folder);
  if (described === null)
    return { entry: await deriveEntry(folder, name), isDerived: true, lostSecrets: false };
  if (name === undefined || name === described.schema.name) {
    return { entry: described, isDerived: false, lostSecrets: false };
  }
  // Settings that had been accepted and weren't in force go, too: they can be asked for again.
  const { next_schema: _, schema, ...rest } = described;
  const { ai, ...settings } = schema;
  if (ai === undefined)
    return { entry: { ...rest, schema: { ...settings, name } }, isDerived: false, lostSecrets: false };
  const { llm_api_key: secret, ...open } = ai;
  const entry = { ...rest, schema: { ...settings, name, ai: open } };
  return { entry, isDerived: false, lostSecrets: secret !== undefined };
}

async function deriveEntry(folder: string, name: string | undefined): Promise<CatalogIndex> {
  const { fromEngineSchema } = await import("../../adapters/embedded/from-engine-schema.js");
  const { FileDirectory, readSchema } = await import("../../engine/server-door.js");
  if (name === undefined) {
    const problem = `nothing in '${folder}' says what the index is called: give it a name with --name`;
    throw new CliError("usage", problem);
  }
  const schema = fromEngineSchema(
    name,
    await readSchema(await FileDirectory.open(folder, { create: false })),
  );
  return { schema, storageId: basename(folder), custom_stopwords: [], synonyms: {} };
}
