/** The index: how it is built, opened and weighed. */
import { createReadStream, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { CanonicalDocument, Index } from "../../../src/engine/index.js";
import type { PeerRow } from "../peer-query.js";
import { engine } from "./findling-engine.js";

/** As large as Tantivy's writer has it. */
const MEMORY_BUDGET_BYTES = 500_000_000;
const DOCUMENTS_PER_WRITE = 1000;

export const TEXT = "t";
export const NUMBER = "n";
export const FACET = "f";

/** Builds an index of the file's rows: one thread, one segment in the end. */
export async function buildIndex(input: string, folder: string): Promise<void> {
  const schema = engine.defineSchema({
    [TEXT]: "text",
    [NUMBER]: "u64",
    [FACET]: { kind: "facet", multi: true },
  });
  const directory = await engine.FileDirectory.open(folder, { create: true });
  const index = await engine.Index.create(directory, schema, {
    memoryBudgetBytes: MEMORY_BUDGET_BYTES,
    mergePolicy: new engine.TieredMergePolicy({
      segmentsPerTier: 2,
      floorBytes: 2 ** 40,
      maxMergedBytes: 2 ** 40,
    }),
  });
  let batch: CanonicalDocument[] = [];
  for await (const line of createInterface({ input: createReadStream(input) })) {
    const { t, n, f } = JSON.parse(line) as PeerRow;
    batch.push(f.length === 0 ? { t, n } : { t, n, f: [...f] });
    if (batch.length === DOCUMENTS_PER_WRITE) {
      await index.add(batch);
      batch = [];
    }
  }
  if (batch.length > 0) await index.add(batch);
  await index.commit();
  await index.merge();
  await index.close();
}

/** Without the folder's lock: nothing is written, and several benchmarks may run on one index. */
export async function openIndex(folder: string): Promise<Index> {
  return engine.Index.open(await engine.FileDirectory.open(folder, { create: false }), { lock: false });
}

/** The kept documents, and all the rest. */
export function bytesOnDisk(folder: string): { index: number; store: number } {
  const bytes = { index: 0, store: 0 };
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isFile()) continue;
    bytes[entry.name.endsWith(".doc") ? "store" : "index"] += statSync(join(folder, entry.name)).size;
  }
  return bytes;
}
