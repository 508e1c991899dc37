// Property: whatever happens to requests on the way, every document arrives exactly once and in
// order, or the import fails and nothing uncommitted stays.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BatchBuilder, type DocumentBatch, RecordChecksum } from "../../src/cli/import/document-batch.js";
import { DocumentImporter } from "../../src/cli/import/document-importer.js";
import type { InputPrefix, WritesInDoubt } from "../../src/cli/import/import-progress-file.js";
import type { FindlingClient } from "../../src/client/index.js";
import { allValues, ServerProcess, temporaryFolder } from "./cli-harness.js";
import { type Fault, FaultyProxy } from "./faulty-proxy.js";

const DOCUMENTS = 300;
const START: InputPrefix = { records: 0, checksum: null };
const idOf = (position: number): string => String(position).padStart(5, "0");

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let server: ServerProcess;
let direct: FindlingClient;
let indexNumber = 0;

beforeAll(async () => {
  folder = await temporaryFolder();
  server = await ServerProcess.start(folder.path);
  direct = server.client();
});

afterAll(async () => {
  await server.end("SIGTERM");
  await folder.remove();
});

async function newIndex(settings: { auto_commit_delay?: number } = {}): Promise<string> {
  const name = `faults${indexNumber++}`;
  await direct.createIndex({ name, fields: { id: { type: "text" } }, ...settings });
  return name;
}

async function* batches(size: number): AsyncGenerator<DocumentBatch> {
  const builder = new BatchBuilder(new RecordChecksum(), { documents: size, length: 1_000_000 });
  for (let position = 0; position < DOCUMENTS; position++) {
    const document = { id: idOf(position) };
    const json = JSON.stringify(document);
    const record = {
      file: "made",
      place: `test:${position + 1}`,
      bytes: Buffer.from(json),
      parsed: { json, document },
    };
    const batch = builder.add(record);
    if (batch !== undefined) yield batch;
  }
  const last = builder.finish();
  if (last !== undefined) yield last;
}

interface Saved {
  committed: InputPrefix;
  inDoubt: WritesInDoubt | undefined;
}

function importerThrough(
  proxy: FaultyProxy,
  index: string,
  options: { readonly commitsByItself: boolean; readonly saved?: Saved },
): DocumentImporter {
  return new DocumentImporter({
    client: server.client(server.keyOf("ingest"), proxy.url),
    index,
    commitsByItself: options.commitsByItself,
    commitEvery: 100,
    retrySecondsMax: 30,
    start: START,
    onSkip: undefined,
    saveProgress: (committed, inDoubt) => {
      if (options.saved !== undefined) Object.assign(options.saved, { committed, inDoubt });
      return Promise.resolve();
    },
    onAdvance: () => undefined,
    signal: new AbortController().signal,
  });
}

const everyDocument = Array.from({ length: DOCUMENTS }, (_, position) => idOf(position));

describe("DocumentImporter", () => {
  it("brings every document once through any faults", async () => {
    const fault = fc.constantFrom<Fault>("pass", "pass", "busy", "lost before", "lost after");
    await fc.assert(
      fc.asyncProperty(fc.array(fault, { maxLength: 25 }), async (faults) => {
        const index = await newIndex();
        let request = 0;
        const proxy = await FaultyProxy.start(server.url, () => faults[request++] ?? "pass");
        try {
          const importer = importerThrough(proxy, index, { commitsByItself: false });
          await importer.run(batches(20)).catch((error: unknown) => {
            // More lost answers in a row than it puts up with: then it must not have left anything pending.
            if (faults.filter((each) => each.startsWith("lost")).length < 5) throw error;
          });
          await direct.commitIndex(index);
          const arrived = await allValues(direct, index, "id");
          expect(arrived).toEqual(everyDocument.slice(0, importer.committed.records));
        } finally {
          await proxy.stop();
          await direct.deleteIndex(index);
        }
      }),
      { numRuns: 8 },
    );
  });

  it("says that writes are in doubt when an index commits by itself and an answer is lost", async () => {
    const index = await newIndex({ auto_commit_delay: 1 });
    let requests = 0;
    const proxy = await FaultyProxy.start(server.url, (_, path) =>
      path.endsWith("/documents") && ++requests === 3 ? "lost after" : "pass",
    );
    const saved: Saved = { committed: START, inDoubt: undefined };
    const importer = importerThrough(proxy, index, { commitsByItself: true, saved });
    await expect(importer.run(batches(50))).rejects.toThrow(/--resume-after 100 .* --resume-after 150/);
    expect(saved).toMatchObject({
      committed: { records: 100 },
      inDoubt: { upTo: { records: 150 }, documentId: null },
    });
    await proxy.stop();
    expect(await allValues(direct, index, "id")).toEqual(everyDocument.slice(0, 150));
  });
});
