// Properties: documents come back byte for byte, whatever their sizes, read in any order or in a
// row, copied as blocks or one by one; any flipped byte and any cut is reported, naming the file.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { releaseShortBuffersToo } from "../../../../tests/setup/release-short-buffers.js";
import { SeededRandom } from "../../../../tests/setup/seeded-random.js";
import { CorruptionError } from "../../../errors/index.js";
import { MemoryDirectory } from "../../directory/memory-directory.js";
import { runWhole } from "../sliced-work.js";
import type { BlockPool } from "./block-pool.js";
import { DocStoreReader } from "./doc-store-reader.js";
import { DocStoreWriter } from "./doc-store-writer.js";

releaseShortBuffersToo();

type Documents = readonly (readonly [stored: string, unstored: string])[];

function fileOf(documents: Documents): Uint8Array[] {
  const writer = new DocStoreWriter();
  for (const [stored, unstored] of documents) writer.append(stored, new TextEncoder().encode(unstored));
  expect(writer.docCount).toBe(documents.length);
  return writer.finish();
}

async function openStore(chunks: readonly Uint8Array[], pool?: BlockPool): Promise<DocStoreReader> {
  const directory = new MemoryDirectory();
  await directory.write("s1.docs", chunks);
  return DocStoreReader.open(await directory.open("s1.docs"), pool);
}

function contents(reader: DocStoreReader): [string, string][] {
  const seen: [string, string][] = [];
  reader.forEach((docId, stored, unstored) => {
    expect(docId).toBe(seen.length);
    seen.push([new TextDecoder().decode(stored), new TextDecoder().decode(unstored)]);
  });
  return seen;
}

/** What a store holds, block by block, without memory for each. */
function contentsInPassing(reader: DocStoreReader, room: Uint8Array): [string, string][] {
  const seen: [string, string][] = [];
  for (let block = 0; block < reader.blockCount; block++) {
    reader.passOverBlock(
      block,
      (docId, stored, unstored) => {
        expect(docId).toBe(seen.length);
        seen.push([new TextDecoder().decode(stored), new TextDecoder().decode(unstored)]);
      },
      room,
    );
  }
  return seen;
}

const json = fc.oneof(
  { weight: 6, arbitrary: fc.json({ maxDepth: 1 }) },
  { weight: 2, arbitrary: fc.constantFrom("{}", "", `{"a":"${"words and words ".repeat(60)}"}`) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.string({ maxLength: 9 }), fc.nat({ max: 3000 })).map(([s, n]) => s.repeat(n)),
  },
);
const documents = fc.array(fc.tuple(json, json), { maxLength: 120 });

describe("document store", () => {
  test("one that is kept whole has the same bytes, and none once it is released", () => {
    const random = new SeededRandom(3);
    const kept = new DocStoreWriter();
    const taken = new DocStoreWriter(kept.owner);
    for (let i = 0; i < 700; i++) {
      const text = Array.from({ length: 400 }, () => random.below(2 ** 31).toString(36)).join("");
      const json = new TextEncoder().encode(i % 100 === 99 ? text.repeat(150) : text);
      kept.append(json, "");
      taken.append(json, "");
    }
    const chunks = kept.finish();
    expect(Buffer.concat(chunks).equals(Buffer.concat(taken.finish()))).toBe(true);
    kept.release();
    expect(chunks.filter((chunk) => chunk.length > 1 << 15)).toEqual([]);
  });

  test("round trip in any order", async () => {
    await fc.assert(
      fc.asyncProperty(documents, fc.array(fc.nat(), { maxLength: 30 }), async (input, picks) => {
        const reader = await openStore(fileOf(input));
        expect(reader.docCount).toBe(input.length);
        expect(contents(reader)).toEqual(input);
        for (const pick of input.length === 0 ? [] : picks) {
          const docId = pick % input.length;
          expect([reader.storedJson(docId), reader.unstoredJson(docId)]).toEqual(input[docId]);
        }
        expect(() => reader.read(input.length)).toThrow(RangeError);
        expect(() => reader.read(-1)).toThrow(RangeError);
      }),
      { numRuns: 60 },
    );
  });

  test("passing over blocks in turn shows what reading them does, whatever room there is", async () => {
    await fc.assert(
      fc.asyncProperty(documents, documents, fc.nat({ max: 20_000 }), async (one, other, roomBytes) => {
        const room = new Uint8Array(roomBytes);
        const [first, second] = [await openStore(fileOf(one)), await openStore(fileOf(other))];
        expect(contentsInPassing(first, room)).toEqual(one);
        expect(contentsInPassing(second, room)).toEqual(other);
        expect(contentsInPassing(first, room)).toEqual(one);
        expect(contents(second)).toEqual(other);
      }),
      { numRuns: 60 },
    );
  });

  test("memory: what all blocks are read into is given back once they have been", async () => {
    const reader = await openStore(fileOf(Array.from({ length: 500 }, (_, i) => [`{"n":${i}}`, ""])));
    const seen: Uint8Array[] = [];
    for (const { bytes } of reader.blocksInOrder(() => true)) {
      expect(bytes.length).toBeGreaterThan(0);
      seen.push(bytes);
    }
    expect(seen.map(({ length }) => length)).toEqual(seen.map(() => 0));
    expect(seen).toHaveLength(reader.blockCount);
  });

  test("memory: passing over blocks makes no buffers for them, raw or compressed", async () => {
    const random = new SeededRandom(11);
    const noise = (): string =>
      Array.from({ length: 700 }, () => random.below(2 ** 31).toString(36)).join("");
    const reader = await openStore(
      fileOf(
        Array.from({ length: 600 }, (_, i) => [i < 300 ? noise() : `{"n":"${"word ".repeat(i)}"}`, "{}"]),
      ),
    );
    expect(reader.blockCount).toBeGreaterThan(100);
    const room = new Uint8Array(1 << 16);
    const buffers = new Set<ArrayBufferLike>();
    for (let block = 0; block < reader.blockCount; block++)
      reader.passOverBlock(block, (_, { buffer }) => buffers.add(buffer), room);
    // The room, and where the thread decompresses.
    expect(buffers.size).toBe(2);
  });

  test("copying whole stores between documents equals appending their documents", async () => {
    await fc.assert(
      fc.asyncProperty(documents, documents, documents, async (first, second, third) => {
        const writer = new DocStoreWriter();
        for (const [stored, unstored] of first) writer.append(stored, unstored);
        runWhole(writer.appendAll(await openStore(fileOf(second))));
        for (const [stored, unstored] of third) writer.append(stored, unstored);
        runWhole(writer.appendAll(await openStore(fileOf(first))));
        const expected = [...first, ...second, ...third, ...first];
        expect(contents(await openStore(writer.finish()))).toEqual(expected);
      }),
      { numRuns: 30 },
    );
  });

  test("many small documents share blocks; a large one has its own and is not copied into small ones' reads", async () => {
    const small: Documents = Array.from({ length: 2000 }, (_, index) => [
      `{"n":${index},"t":"the same text"}`,
      "{}",
    ]);
    const large = `{"t":"${"x".repeat(500_000)}"}`;
    const reader = await openStore(fileOf([...small, [large, "{}"], ...small]));
    expect(reader.blockCount).toBeGreaterThan(8);
    expect(reader.blockCount).toBeLessThan(60);
    expect(reader.storedJson(2000)).toBe(large);
    expect(reader.storedJson(1999)).toBe(small[1999]![0]);
    expect(reader.storedJson(2001)).toBe(small[0]![0]);
    const ownBlock = Array.from({ length: reader.blockCount }, (_, block) => block).filter(
      (block) => reader.blockFirstDoc(block) === 2000 && reader.blockEndDoc(block) === 2001,
    );
    expect(ownBlock).toHaveLength(1);
  });

  test("random bytes, which don't compress, stay raw and readable", async () => {
    const noise = crypto.getRandomValues(new Uint8Array(60_000));
    const writer = new DocStoreWriter();
    writer.append(noise, noise.subarray(0, 100));
    const file = writer.finish();
    expect(file.reduce((sum, chunk) => sum + chunk.length, 0)).toBeLessThan(60_300);
    const record = (await openStore(file)).read(0);
    expect(Buffer.compare(record.stored, noise)).toBe(0);
  });

  test("memory: a large store is handed over in chunks", () => {
    const writer = new DocStoreWriter();
    for (let count = 0; count < 40; count++)
      writer.append(crypto.getRandomValues(new Uint8Array(50_000)), "{}");
    const length = writer.byteLength;
    const chunks = writer.finish();
    expect(chunks.length).toBeGreaterThan(4);
    expect(chunks.reduce((sum, chunk) => sum + chunk.length, 0)).toBeGreaterThanOrEqual(length);
    for (const chunk of chunks) expect(chunk.byteLength * 2).toBeGreaterThanOrEqual(chunk.buffer.byteLength);
  });

  test("every flipped byte is reported", async () => {
    const file = await wholeFile();
    for (let place = 0; place < file.length; place++) {
      for (const flip of [1, 0x80, 0xff]) {
        const damaged = file.slice();
        damaged[place]! ^= flip;
        await expectDamage(damaged);
      }
    }
  });

  test("every cut and every added byte is reported", async () => {
    const file = await wholeFile();
    for (let length = 0; length < file.length; length++) await expectDamage(file.slice(0, length));
    await expectDamage(Uint8Array.of(...file, 0));
    await expectDamage(Uint8Array.of(0, ...file));
  });
});

/** A store of three blocks, one of them raw. */
async function wholeFile(): Promise<Uint8Array> {
  const writer = new DocStoreWriter();
  writer.append('{"a":1}', "{}");
  writer.append(`{"long":"${"abcdefgh".repeat(1100)}"}`, '{"b":2}');
  for (let docId = 0; docId < 8; docId++) writer.append(`{"c":${docId}}`, "{}");
  const chunks = writer.finish();
  expect((await openStore(chunks)).blockCount).toBe(3);
  return Uint8Array.from(chunks.flatMap((chunk) => [...chunk]));
}

async function expectDamage(bytes: Uint8Array): Promise<void> {
  const readings = [
    (reader: DocStoreReader) => reader.verify(),
    (reader: DocStoreReader) => contentsInPassing(reader, new Uint8Array(1 << 14)),
  ];
  for (const read of readings) {
    const failure = await openStore([bytes])
      .then(read)
      .then(
        () => expect.unreachable("the damage went unnoticed"),
        (error: unknown) => error,
      );
    expect(failure).toBeInstanceOf(CorruptionError);
    expect((failure as CorruptionError).message).toContain("s1.docs");
  }
}
