import type { IdentifiedDocument } from "./encode-document.js";

/** What one bulk request takes, about: the cluster has work for several at once, and encoding goes on meanwhile. */
const BATCH_DOCUMENTS = 500;
const BATCH_UNITS = 1_500_000;
/** Documents between two breaths. */
const TOGETHER = 50;

/** Documents as they are encoded one after the other, in batches, while what else the process has to do goes on. */
export async function* encodedBatches<Item>(
  items: readonly Item[],
  encode: (item: Item, i: number) => IdentifiedDocument,
): AsyncGenerator<readonly IdentifiedDocument[]> {
  let batch: IdentifiedDocument[] = [];
  let units = 0;
  for (const [i, item] of items.entries()) {
    if (i % TOGETHER === 0) await new Promise((resolve) => setImmediate(resolve));
    const encoded = encode(item, i);
    batch.push(encoded);
    units += encoded.source.length;
    if (batch.length < BATCH_DOCUMENTS && units < BATCH_UNITS) continue;
    yield batch;
    batch = [];
    units = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Encoded documents in batches. */
export function* batchesOf(
  documents: readonly IdentifiedDocument[],
): Generator<readonly IdentifiedDocument[]> {
  for (let start = 0; start < documents.length; start += BATCH_DOCUMENTS)
    yield documents.slice(start, start + BATCH_DOCUMENTS);
}
