// Properties: whatever is asked for in whatever order, of several stores in a pool of any size, comes
// back right; the ring never holds more than its length, and the oldest blocks go first; of more blocks asked for in
// turn than it holds, as many as it holds are found; texts that are
// asked for again are kept, within bounds; of a store that fits, blocks are read many at a time, which drives out none; a block that is damaged when it is read first is reported every
// time it is asked for, and never kept.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CorruptionError } from "../../../errors/index.js";
import type { RandomAccessFile } from "../../directory/directory.js";
import { MemoryDirectory } from "../../directory/memory-directory.js";
import { BlockPool, keepFewBlocks } from "./block-pool.js";
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

/** So that pools are small, and some blocks too long for them. */
const RAW_LENGTH_MAX = 64 * 1024;

/** Documents of about 2,300 bytes, two of which fill a block. */
function halves(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${n} ${"wort und wörter ".repeat(130)}`);
}

/** Documents of about 37,000 bytes each that don't compress. */
function noise(count: number): string[] {
  let state = 1;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return Array.from({ length: count }, () =>
    Array.from({ length: 37_000 }, () => String.fromCodePoint(32 + Math.floor(next() * 90))).join(""),
  );
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
        fc.integer({ min: 66_000, max: 140_000 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.tuple(fc.nat(), fc.nat(), fc.boolean()), { maxLength: 60 }),
        async (inputs, ringLength, blocksMax, keptOneIn, picks) => {
          const pool = new BlockPool(ringLength, RAW_LENGTH_MAX, blocksMax, keptOneIn);
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
      new BlockPool(),
    );
    expect(reader.blockCount).toBe(1);
    for (const docId of [7, 3, 119, 100, 0]) expect(reader.storedJson(docId)).toBe(texts[docId]);
    expect(file.reads).toBe(1);
  });

  test("decompresses a block anew, without reading it, when others came between", async () => {
    const { reader, file, texts } = await open(halves(4), new BlockPool());
    expect(reader.blockCount).toBe(2);
    for (const docId of [0, 2, 1, 3, 0, 1, 1]) expect(reader.storedJson(docId)).toBe(texts[docId]);
    expect(file.reads).toBe(1);
  });

  test("keeps as many blocks as the ring has room for, and drops the oldest", async () => {
    const { reader, file } = await open(noise(9), new BlockPool(120_000, RAW_LENGTH_MAX, 100, 1));
    expect(reader.blockCount).toBe(9);
    const readsFor = (docId: number): number => {
      const before = file.reads;
      // Of this no text is kept.
      reader.unstoredJson(docId);
      return file.reads - before;
    };
    // Three of about 37,000 bytes fit; the fourth takes the first one's place.
    expect([0, 1, 2, 0, 1, 2, 3, 1, 2, 0, 2, 3, 1].map(readsFor)).toEqual([
      1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1,
    ]);
    for (const docId of [8, 7, 6]) expect(readsFor(docId)).toBe(1);
    for (const docId of [8, 7, 6]) expect(readsFor(docId)).toBe(0);
  });

  test("keeps no more blocks than there are places, and drops the oldest", async () => {
    const { reader, file } = await open(halves(10), new BlockPool(undefined, undefined, 3, 1));
    expect(reader.blockCount).toBe(5);
    const readsFor = (block: number): number => {
      const before = file.reads;
      reader.unstoredJson(block * 2);
      return file.reads - before;
    };
    expect([0, 1, 2, 0, 3, 1, 2, 3, 0, 2, 4, 3, 0, 1].map(readsFor)).toEqual([
      1, 1, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1,
    ]);
  });

  test.each([
    { name: "as long as", ringLength: undefined, places: 40 },
    { name: "in", ringLength: 40 * 38_000, places: undefined },
  ])(
    "of more blocks than $name it holds, asked for in turn, most that it holds are found",
    async (pooled) => {
      const { ringLength, places } = pooled;
      const texts = places === undefined ? noise(100) : halves(200);
      const { reader, file } = await open(texts, new BlockPool(ringLength, RAW_LENGTH_MAX, places));
      expect(reader.blockCount).toBe(100);
      const readsOfTurn = (): number => {
        const before = file.reads;
        for (let block = 0; block < 100; block++) reader.unstoredJson(reader.blockFirstDoc(block));
        return file.reads - before;
      };
      for (let turn = 0; turn < 10; turn++) readsOfTurn();
      let reads = 0;
      for (let turn = 0; turn < 20; turn++) reads += readsOfTurn();
      expect(reads).toBeGreaterThanOrEqual(20 * 60);
      expect(reads).toBeLessThan(20 * 70);
    },
  );

  test("of a full pool, blocks that are read again soon take the oldest ones' places", async () => {
    const pool = new BlockPool(undefined, undefined, 8, Number.POSITIVE_INFINITY);
    const { reader, file } = await open(halves(40), pool);
    const readsFor = (block: number): number => {
      const before = file.reads;
      reader.unstoredJson(block * 2);
      reader.unstoredJson(block * 2 + 1);
      return file.reads - before;
    };
    const ofEach = (blocks: readonly number[]): number[] => blocks.map(readsFor);
    expect(ofEach([0, 1, 2, 3, 4, 5, 6, 7])).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
    // These pass; 8 is read again soon, 12 after others that have taken its place.
    expect(ofEach([8, 9, 10, 8, 9, 12, 16, 12, 16])).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1]);
    expect(ofEach([8, 9, 2, 3, 4, 5, 6, 7])).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    expect(ofEach([0, 1, 12])).toEqual([1, 1, 1]);
  });

  test("blocks take the room of those of a store that was closed, without driving out any", async () => {
    const pool = new BlockPool(undefined, undefined, 8, Number.POSITIVE_INFINITY);
    const closed = await open(halves(16), pool);
    for (let docId = 0; docId < 16; docId += 2) closed.reader.unstoredJson(docId);
    closed.reader.close();
    const { reader, file } = await open(halves(16), pool);
    for (let turn = 0; turn < 3; turn++) {
      for (let docId = 0; docId < 16; docId += 2) reader.unstoredJson(docId);
    }
    expect(file.reads).toBe(8);
  });

  describe("reads the neighbours of a block with it", () => {
    /** 40 blocks of some 4 KB in the file. */
    const texts = noise(20).flatMap((long) => [long.slice(0, 4200), long.slice(4200, 8400)]);
    const readAll = ({ reader }: OpenStore): void => {
      for (let docId = 0; docId < texts.length; docId++) expect(reader.storedJson(docId)).toBe(texts[docId]);
    };

    test("where all of the store fits", async () => {
      const store = await open(texts, new BlockPool());
      expect(store.reader.blockCount).toBe(40);
      readAll(store);
      // One for each window of 64 KiB.
      expect(store.file.reads).toBe(Math.ceil(store.file.size / 65_536));
    });

    test("but not of a store that is longer than the ring, or has more blocks than there are places", async () => {
      for (const pool of [new BlockPool(70_000, RAW_LENGTH_MAX), new BlockPool(undefined, undefined, 10)]) {
        const store = await open(texts, pool);
        store.reader.storedJson(0);
        store.reader.storedJson(39);
        expect(store.file.reads).toBe(2);
        readAll(store);
        expect(store.file.reads).toBeGreaterThan(20);
      }
    });

    test("unless blocks of another store had to leave for them", async () => {
      // Room for one of the stores and a window of the other.
      const pool = new BlockPool(250_000, RAW_LENGTH_MAX);
      const first = await open(texts, pool);
      const second = await open(texts, pool);
      readAll(first);
      const { reads } = first.file;
      readAll(second);
      expect(second.file.reads).toBeGreaterThan(10);
      first.reader.close();
      second.reader.close();
      expect(reads).toBe(Math.ceil(first.file.size / 65_536));
    });
  });

  test("forgets the blocks of a store that is closed", async () => {
    const pool = new BlockPool();
    const first = await open(halves(4), pool);
    const second = await open(halves(4), pool);
    for (const { reader } of [first, second]) for (const docId of [0, 2]) reader.storedJson(docId);
    first.reader.close();
    for (const docId of [0, 2]) expect(second.reader.storedJson(docId)).toBe(second.texts[docId]);
    expect(second.file.reads).toBe(1);
    const { reads } = first.file;
    first.reader.storedJson(0);
    expect(first.file.reads).toBe(reads + 1);
  });

  test("documents asked for again and again come from their texts", async () => {
    const { reader, texts } = await open(noise(3), new BlockPool(70_000, RAW_LENGTH_MAX));
    // The ring holds one block at a time.
    for (let turn = 0; turn < 4; turn++) {
      for (const docId of [0, 1, 2]) expect(reader.storedJson(docId)).toBe(texts[docId]);
    }
    const short = await open(["{}", "wörter", "kurz"], new BlockPool());
    for (let turn = 0; turn < 4; turn++) {
      expect(short.texts.map((_, docId) => short.reader.storedJson(docId))).toEqual(short.texts);
      expect(short.reader.unstoredJson(1)).toBe('{"unstored":6}');
    }
    const { reads } = short.file;
    short.reader.close();
    expect(short.reader.storedJson(0)).toBe("{}");
    expect(short.file.reads).toBe(reads + 1);
  });

  test("reports a damaged block whenever it is asked for, and keeps nothing of it", async () => {
    const { reader, file, texts } = await open(halves(4), new BlockPool());
    // The last byte of whatever is read, and so the second of two blocks that are read together.
    file.flips = true;
    for (let turn = 0; turn < 2; turn++) expect(() => reader.storedJson(2)).toThrow(CorruptionError);
    // Its sound neighbour was kept.
    const { reads } = file;
    expect(reader.storedJson(0)).toBe(texts[0]);
    expect(file.reads).toBe(reads);
    file.flips = false;
    expect(reader.storedJson(2)).toBe(texts[2]);
    expect(reader.storedJson(1)).toBe(texts[1]);
  });

  test("sums up a block when it is read first, and whenever it is copied", async () => {
    const { reader, file } = await open(noise(3), new BlockPool(70_000, RAW_LENGTH_MAX, 100, 1));
    const right = reader.unstoredJson(0);
    file.flips = true;
    expect(reader.unstoredJson(0)).toBe(right);
    expect(() => reader.unstoredJson(1)).toThrow(CorruptionError);
    // The last byte of the block is the document's last brace.
    expect(reader.unstoredJson(0)).toBe(`${right.slice(0, -1)}|`);
    expect(() => reader.readBlockBytes(0)).toThrow(CorruptionError);
    expect(() => reader.unstoredJson(2)).toThrow(CorruptionError);
    expect(() => reader.unstoredJson(2)).toThrow(CorruptionError);
    file.flips = false;
    expect(reader.unstoredJson(2)).toBe(right);
  });

  test("holds few blocks in a thread that answers no searches", async () => {
    const texts = noise(60);
    const readsOfSecondPass = async (): Promise<number> => {
      const { reader, file } = await open(texts, BlockPool.ofThread());
      const pass = (): number => {
        for (let docId = 0; docId < texts.length; docId++)
          expect(reader.storedJson(docId)).toBe(texts[docId]);
        return file.reads;
      };
      const first = pass();
      const second = pass();
      reader.close();
      return second - first;
    };
    expect(await readsOfSecondPass()).toBe(0);
    keepFewBlocks();
    // A MiB has room for less than half of them.
    expect(await readsOfSecondPass()).toBeGreaterThan(25);
  });
});
