/** The index: how it is built, opened and weighed. */
import { createReadStream, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { CanonicalDocument, Index } from "../../../src/engine/server-door.js";
import type { IndexLayout } from "../index-layout.js";
import { isDeleted } from "./deleted-document.js";
import { engine } from "./findling-engine.js";
import { RowsOfFile } from "./rows-of-file.js";

/** As large as Tantivy's writer has it. */
const MEMORY_BUDGET_BYTES = 500_000_000;
const DOCUMENTS_PER_WRITE = 1000;

export const TEXT = "t";
export const NUMBER = "n";
export const FACET = "f";
/** 1 in documents that are to be deleted; only there where the layout deletes any. */
const DELETED = "deleted";

/** Builds an index of the file's rows: one thread, as many segments as the layout says. */
export async function buildIndex(input: string, folder: string, layout: IndexLayout): Promise<void> {
  const schema = engine.defineSchema({
    [TEXT]: "text",
    [NUMBER]: "u64",
    [FACET]: { kind: "facet", multi: true },
    ...(layout.deleted > 0 && { [DELETED]: "u64" }),
  });
  const directory = await engine.FileDirectory.open(folder, { create: true });
  // Merges whatever a slice was flushed to, once the slice is committed.
  let finishedSlices = 0;
  const mergePolicy = {
    nextMerge: (segments: readonly unknown[]) =>
      segments.length - finishedSlices < 2 ? null : { start: finishedSlices, end: segments.length },
  };
  const index = await engine.Index.create(directory, schema, {
    memoryBudgetBytes: MEMORY_BUDGET_BYTES,
    mergePolicy,
  });
  const finishSlice = async (): Promise<void> => {
    await index.commit();
    await index.merge();
    finishedSlices++;
  };
  const sliceLength =
    layout.segments === 1 ? Infinity : Math.ceil((await lineCount(input)) / layout.segments);
  const rows = new RowsOfFile(input);
  let ordinal = 0;
  for (;;) {
    const countMax = Math.min(DOCUMENTS_PER_WRITE, sliceLength - (ordinal % sliceLength));
    const documents = nextDocuments(rows, countMax, ordinal, layout.deleted);
    if (documents.length > 0) await index.add(documents);
    ordinal += documents.length;
    if (documents.length < countMax) break;
    if (ordinal % sliceLength === 0) await finishSlice();
  }
  rows.close();
  await finishSlice();
  if (layout.deleted > 0) {
    const one = { value: 1, inclusive: true };
    await index.deleteByQuery({ kind: "value_range", field: DELETED, lower: one, upper: one });
    await index.commit();
  }
  await index.close();
}

/** Up to `countMax` documents, fewer at the end, the first of which is at that place in the input. */
function nextDocuments(
  rows: RowsOfFile,
  countMax: number,
  ordinal: number,
  deleted: number,
): CanonicalDocument[] {
  const documents: CanonicalDocument[] = [];
  while (documents.length < countMax) {
    const row = rows.next();
    if (row === null) break;
    const document: Record<string, CanonicalDocument[string]> = { [TEXT]: row.t, [NUMBER]: row.n };
    if (row.f.length > 0) document[FACET] = row.f;
    if (deleted > 0 && isDeleted(ordinal + documents.length, deleted)) document[DELETED] = 1;
    documents.push(document);
  }
  return documents;
}

async function lineCount(file: string): Promise<number> {
  let count = 0;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    for (let i = chunk.indexOf(10); i >= 0; i = chunk.indexOf(10, i + 1)) count++;
  }
  return count;
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
