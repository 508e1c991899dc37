/**
 * Proves: values that begin alike get the ranks of sorting them whole, however many batches they are read in;
 * of long values few are read at a time, of short ones many.
 */
import { afterEach, expect, test, vi } from "vitest";
import { MemoryDirectory } from "../../directory/memory-directory.js";
import type { EngineField } from "../../schema/engine-schema.js";
import { DocStoreReader } from "../doc-store/doc-store-reader.js";
import { DocStoreWriter } from "../doc-store/doc-store-writer.js";
import { runWhole } from "../sliced-work.js";
import { AlikeTexts, rankAlike } from "./alike-texts.js";
import { StoredTexts } from "./stored-texts.js";
import type { FieldBeginnings } from "./text-beginnings.js";

const FIELD: EngineField = { name: "f", kind: "text", indexed: true, stored: true, multi: false };

/** Documents of each call that reads values. */
const batches: number[] = [];
const readAll = StoredTexts.prototype.read;
vi.spyOn(StoredTexts.prototype, "read").mockImplementation(function (this: StoredTexts, docs, texts) {
  batches.push(docs.length);
  return readAll.call(this, docs, texts);
});
afterEach(() => {
  batches.length = 0;
});

/** A segment with one value in each document, ranked in the order of the values; all of them begin alike. */
async function segmentOf(values: readonly string[], entries: number): Promise<FieldBeginnings> {
  const writer = new DocStoreWriter();
  const encoder = new TextEncoder();
  for (const value of values)
    writer.append(encoder.encode(JSON.stringify({ f: value })), encoder.encode("{}"));
  const directory = new MemoryDirectory();
  await directory.write("s1.doc", writer.finish());
  const sorted = [...values].sort();
  return {
    source: {
      documents: DocStoreReader.open(await directory.open("s1.doc")),
      docMap: Int32Array.from(values, (_, docId) => docId),
      textOrder: () => null,
    },
    ranks: Uint32Array.from(values, (value) => sorted.indexOf(value) + 1),
    rankCount: values.length,
    entries,
  };
}

/** New ranks by document of each segment. */
async function ranked(segments: readonly (readonly string[])[]): Promise<number[][]> {
  const inputs: FieldBeginnings[] = [];
  let words = 0;
  for (const values of segments) {
    inputs.push(await segmentOf(values, words * 4));
    words += values.length + 1;
  }
  const entries = new Uint32Array(words).fill(1);
  const alike = new AlikeTexts(FIELD, inputs);
  const cursors = inputs.map(({ rankCount }, i) => alike.cursor(i, entries, 1, rankCount + 1));
  runWhole(rankAlike(cursors, entries, 0));
  return inputs.map((input) => [...input.ranks].map((rank) => entries[(input.entries >>> 2) + rank]!));
}

const numbered = (beginning: string, n: number): string => `${beginning}${String(n).padStart(5, "0")}`;

test("short values are read in ever larger batches, and ranked over all segments", async () => {
  const beginning = "begins alike ".repeat(6);
  const segments = [0, 1]
    .map((segment) =>
      Array.from({ length: 700 }, (_, i) => numbered(beginning, ((i * 389) % 700) * 2 + ((segment * i) % 3))),
    )
    .map((values) => [...new Set(values)]);
  const distinct = [...new Set(segments.flat())].sort();
  expect(await ranked(segments)).toEqual(
    segments.map((values) => values.map((value) => distinct.indexOf(value) + 1)),
  );
  expect(batches.slice(0, 2)).toEqual([64, 64]);
  expect(Math.max(...batches)).toBe(256);
});

test("of long values fewer are read at a time, until they fit", async () => {
  const values = Array.from({ length: 130 }, (_, i) => numbered("x".repeat(300_000), i));
  expect(await ranked([values])).toEqual([values.map((_, i) => i + 1)]);
  expect(batches).toEqual([64, 32, 16, 16, 2]);
});
