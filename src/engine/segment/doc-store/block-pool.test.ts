// Properties: whatever is asked for in whatever order, of several stores in a pool of any size, comes
// back right; places are never more than they should be; what is used again outlives what isn't; a
// block that turns out damaged is reported every time it is asked for, and never kept.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CorruptionError } from "../../../errors/index.js";
import type { RandomAccessFile } from "../../directory/directory.js";
import { MemoryDirectory } from "../../directory/memory-directory.js";
import { BlockPool } from "./block-pool.js";
import { DocStoreReader } from "./doc-store-reader.js";
import { DocStoreWriter } from "./doc-store-writer.js";

/** Counts reads, so that tests see what came from the pool. */
class CountedFile implements RandomAccessFile {
  readonly name: string;
  readonly size: number;
  readonly #file: RandomAccessFile;
  reads = 0;
  /** Flipped in every block that is read from now on. */
  flips = false;

  constructor(file: RandomAccessFile) {
    this.name = file.name;
    this.size = file.size;
    this.#file = file;
  }

  read(offset: number, length: number): Uint8Array {
    return this.#file.read(offset, length);
  }

  readInto(offset: number, length: number, target: Uint8Array, at: number): void {
    this.reads++;
    this.#file.readInto(offset, length, target, at);
    if (this.flips) target[at + length - 1]! ^= 1;
  }

  close(): void {
    this.#file.close();
  }
}

interface OpenStore {
  readonly texts: readonly string[];
  readonly file: CountedFile;
  readonly reader: DocStoreReader;
}

async function open(texts: readonly string[], pool: BlockPool): Promise<OpenStore> {
  const writer = new DocStoreWriter();
  for (const text of texts) writer.append(text, `{"unstored":${text.length}}`);
  const directory = new MemoryDirectory();
  await directory.write("s1.doc", writer.finish());
  const file = new CountedFile(await directory.open("s1.doc"));
  return { texts, file, reader: DocStoreReader.open(file, pool) };
}

/** Documents of about 2,300 bytes, two of which fill a block. */
function halves(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${n} ${"wort und wörter ".repeat(130)}`);
}

const text = fc.oneof(
  { weight: 6, arbitrary: fc.string({ maxLength: 300, unit: "grapheme" }) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.string({ minLength: 1, maxLength: 20 }), fc.nat({ max: 500 }))
      .map(([s, n]) => s.repeat(n)),
  },
  // Noise doesn't compress; the longest have blocks that the pool doesn't take.
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 0, max: 30_000 })
      .map((n) => Array.from({ length: n }, (_, i) => ((i * 7919 + n) ** 2 % 997).toString(36)).join("")),
  },
);

describe("a pool of blocks", () => {
  test("gives what was stored, in any order, of several stores, whatever its size", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(text, { minLength: 1, maxLength: 90 }), { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.tuple(fc.nat(), fc.nat(), fc.boolean()), { maxLength: 60 }),
        async (inputs, placeCount, picks) => {
          const pool = new BlockPool(placeCount);
          const stores = await Promise.all(inputs.map((texts) => open(texts, pool)));
          for (const [which, document, isStored] of picks) {
            const { texts, reader } = stores[which % stores.length]!;
            const docId = document % texts.length;
            if (isStored) expect(reader.storedJson(docId)).toBe(texts[docId]);
            else expect(reader.unstoredJson(docId)).toBe(`{"unstored":${texts[docId]!.length}}`);
          }
          const { texts, reader } = stores[0]!;
          for (let docId = 0; docId < texts.length; docId++) {
            expect(new TextDecoder().decode(reader.read(docId).stored)).toBe(texts[docId]);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test("reads a block once for the documents of a page, in whatever order they come", async () => {
    const { reader, file, texts } = await open(
      Array.from({ length: 120 }, (_, n) => `{"n":${n}}`),
      new BlockPool(4),
    );
    expect(reader.blockCount).toBe(1);
    for (const docId of [7, 3, 119, 100, 0]) expect(reader.storedJson(docId)).toBe(texts[docId]);
    expect(file.reads).toBe(1);
  });

  test("goes on with a block whose compressed bytes are gone, by reading it again", async () => {
    const { reader, file, texts } = await open(halves(4), new BlockPool(4));
    expect(reader.blockCount).toBe(2);
    expect(reader.storedJson(0)).toBe(texts[0]);
    expect(reader.storedJson(2)).toBe(texts[2]);
    expect(file.reads).toBe(2);
    expect(reader.storedJson(1)).toBe(texts[1]);
    expect(file.reads).toBe(3);
    expect([reader.storedJson(0), reader.storedJson(1)]).toEqual([texts[0], texts[1]]);
    expect(file.reads).toBe(3);
  });

  test("spares a block that was used again, once, and drops those read once first", async () => {
    const { reader, file } = await open(halves(12), new BlockPool(2));
    const readsFor = (block: number): number => {
      const before = file.reads;
      reader.storedJson(block * 2);
      return file.reads - before;
    };
    expect([0, 0, 1, 2, 0, 3, 0, 4].map(readsFor)).toEqual([1, 0, 1, 1, 0, 1, 0, 1]);
    // Nobody has asked for block 0 since, so the next two take its place as well.
    expect([5, 3, 0].map(readsFor)).toEqual([1, 1, 1]);
  });

  test("forgets the blocks of a store that is closed, and gives their places away", async () => {
    const pool = new BlockPool(2);
    const first = await open(halves(4), pool);
    const second = await open(halves(4), pool);
    first.reader.storedJson(0);
    first.reader.storedJson(2);
    first.reader.close();
    second.reader.storedJson(0);
    second.reader.storedJson(2);
    second.reader.storedJson(0);
    expect(second.file.reads).toBe(2);
  });

  test("reports a damaged block whenever it is asked for, and keeps nothing of it", async () => {
    const { reader, file, texts } = await open(halves(4), new BlockPool(4));
    file.flips = true;
    for (let turn = 0; turn < 2; turn++) expect(() => reader.storedJson(0)).toThrow(CorruptionError);
    file.flips = false;
    expect(reader.storedJson(0)).toBe(texts[0]);
    expect(reader.storedJson(2)).toBe(texts[2]);
    file.flips = true;
    // The rest of block 0 has to be read again, and is damaged by now.
    expect(() => reader.storedJson(1)).toThrow(CorruptionError);
    file.flips = false;
    expect(reader.storedJson(1)).toBe(texts[1]);
  });
});
