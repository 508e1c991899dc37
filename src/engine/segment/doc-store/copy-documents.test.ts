/**
 * Properties: a copy holds the kept documents of all stores in order, whatever is dropped and however long
 * they are; whoever looks on sees each block with a kept document, in order; untouched blocks pass as they are;
 * few blocks are small; what has been taken isn't held any more.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MemoryDirectory } from "../../directory/memory-directory.js";
import { type BlockViewer, copyDocuments } from "./copy-documents.js";
import { DocStoreReader } from "./doc-store-reader.js";
import { DocStoreWriter } from "./doc-store-writer.js";

type Documents = readonly string[];

const NOBODY: BlockViewer = { see: () => undefined };

async function openStore(chunks: Iterable<Uint8Array>): Promise<DocStoreReader> {
  const directory = new MemoryDirectory();
  await directory.write("s1.doc", chunks);
  return DocStoreReader.open(await directory.open("s1.doc"));
}

function storeOf(documents: Documents): Promise<DocStoreReader> {
  const writer = new DocStoreWriter();
  for (const text of documents) writer.append(text, "{}");
  return openStore(writer.finish());
}

/** As `copyDocuments` wants it, going on from `next`. */
function docMapOf(isKept: readonly boolean[], next: number): Int32Array {
  let newDocId = next;
  return Int32Array.from(isKept, (kept) => (kept ? newDocId++ : -1));
}

/** Copies the stores one after the other, as a merge does. */
async function copied(
  stores: readonly DocStoreReader[],
  kept: readonly (readonly boolean[])[],
  viewers: readonly BlockViewer[] = stores.map(() => NOBODY),
): Promise<DocStoreReader> {
  const writer = new DocStoreWriter();
  const chunks: Uint8Array[] = [];
  let next = 0;
  stores.forEach((store, i) => {
    const docMap = docMapOf(kept[i]!, next);
    next += kept[i]!.filter(Boolean).length;
    for (const chunk of copyDocuments(writer, store, docMap, viewers[i]!))
      if (chunk !== undefined) chunks.push(chunk);
  });
  return openStore([...chunks, ...writer.finish()]);
}

const texts = (store: DocStoreReader): string[] =>
  Array.from({ length: store.docCount }, (_, docId) => store.storedJson(docId));

/** Stores of documents from none to several blocks long, some of them dropped. */
const someStores = fc.array(
  fc.tuple(
    fc.array(
      fc.tuple(
        fc.oneof(
          { weight: 8, arbitrary: fc.integer({ min: 0, max: 900 }) },
          fc.integer({ min: 0, max: 9000 }),
        ),
        fc.integer({ min: 0, max: 2 ** 30 }),
      ),
      { maxLength: 80 },
    ),
    fc.constantFrom(0, 0.02, 0.2, 0.9, 1),
  ),
  { minLength: 1, maxLength: 4 },
);

describe("copyDocuments", () => {
  test("a copy holds what is kept, and shows the blocks that it is in", async () => {
    await fc.assert(
      fc.asyncProperty(someStores, async (inputs) => {
        const documents = inputs.map(([all]) =>
          all.map(([length, seed]) => `{"t":"${seed.toString(36).repeat(length).slice(0, length)}"}`),
        );
        const kept = inputs.map(([all, share]) => all.map(([, seed]) => (seed % 1000) / 1000 >= share));
        const stores = await Promise.all(documents.map(storeOf));
        const seen = documents.map((): number[] => []);
        const viewers = stores.map(
          (store, i): BlockViewer => ({
            see: (block, bytes) => {
              expect([...bytes]).toEqual([...store.readBlockBytes(block)]);
              seen[i]!.push(block);
            },
          }),
        );
        const copy = await copied(stores, kept, viewers);
        copy.verify();
        expect(texts(copy)).toEqual(documents.flatMap((all, i) => all.filter((_, docId) => kept[i]![docId])));
        stores.forEach((store, i) => {
          const blocks = documents[i]!.flatMap((_, docId) => (kept[i]![docId] ? [store.blockOf(docId)] : []));
          expect(seen[i]).toEqual([...new Set(blocks)]);
        });
      }),
      { numRuns: 60 },
    );
  });

  const many = Array.from(
    { length: 2000 },
    (_, n) => `{"n":${n},"t":"${(n * 7919).toString(36).repeat(20)}"}`,
  );

  test("untouched blocks are copied as they lie in the file", async () => {
    const store = await storeOf(many);
    const blocks = Array.from({ length: store.blockCount }, (_, block) => store.readBlockBytes(block));
    const copy = await copied([store, store], [many.map(() => true), many.map((_, docId) => docId !== 700)]);
    const bytes = Array.from({ length: copy.blockCount }, (_, block) =>
      Buffer.from(copy.readBlockBytes(block)).toString("base64"),
    );
    const found = new Set(bytes);
    const untouched = blocks.filter((block) => found.has(Buffer.from(block).toString("base64")));
    expect(untouched).toHaveLength(blocks.length);
    // The first store's, those of the second but the one with the deletion and the one behind it.
    expect(
      bytes.filter((block) => blocks.some((own) => Buffer.from(own).toString("base64") === block)).length,
    ).toBeGreaterThanOrEqual(2 * blocks.length - 3);
  });

  test("however many are dropped, blocks are hardly smaller than a writer's own", async () => {
    const store = await storeOf(many);
    for (const every of [2, 5, 10, 30, 100]) {
      const kept = many.map((_, docId) => docId % every !== 0);
      const copy = await copied([store], [kept]);
      const own = await storeOf(many.filter((_, docId) => kept[docId]));
      expect(copy.blockCount).toBeLessThanOrEqual(own.blockCount * 1.35);
      expect(copy.bytesOnDisk).toBeLessThanOrEqual(own.bytesOnDisk * 1.1);
    }
  });

  test("what has been taken isn't held any more", async () => {
    const large = Array.from({ length: 300 }, (_, n) =>
      JSON.stringify(
        Buffer.from(
          Uint8Array.from({ length: 9000 }, (_, i) => Math.imul(n + 1, i * 2654435761) >>> 24),
        ).toString("base64"),
      ),
    );
    const store = await storeOf(large);
    const writer = new DocStoreWriter();
    let taken = 0;
    for (const chunk of copyDocuments(
      writer,
      store,
      docMapOf(
        large.map(() => true),
        0,
      ),
      NOBODY,
    )) {
      taken += chunk?.length ?? 0;
      expect(writer.byteLength - taken).toBeLessThan(600_000);
    }
    expect(taken).toBeGreaterThan(1_000_000);
  });
});
