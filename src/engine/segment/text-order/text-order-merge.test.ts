// Proves: merged ranks are those of sorting the whole values of the documents that are left, however little of the values is kept and in however many goes documents are read; a document
// store without a value that has a rank is named.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { naiveRanks } from "../../../../tests/kit/naive-ranks.js";
import { reopenSections } from "../../../../tests/kit/reopen-sections.js";
import { CorruptionError } from "../../../errors/index.js";
import { MemoryDirectory } from "../../directory/memory-directory.js";
import type { EngineField } from "../../schema/engine-schema.js";
import { copyDocuments } from "../doc-store/copy-documents.js";
import { DocStoreReader } from "../doc-store/doc-store-reader.js";
import { DocStoreWriter } from "../doc-store/doc-store-writer.js";
import type { TextOrder } from "../segment-reader.js";
import { runWhole } from "../sliced-work.js";
import { StoredTexts } from "./stored-texts.js";
import type { TextOrderSource } from "./text-beginnings.js";
import { TextOrderMerge } from "./text-order-merge.js";
import { openTextOrder } from "./text-order-reader.js";
import { TextOrderWriter } from "./text-order-writer.js";

const fieldOf = (name: string, stored: boolean): EngineField => ({
  name,
  kind: "text",
  indexed: true,
  stored,
  multi: false,
});
/** The first is ordered in NFC. */
const FIELDS: readonly EngineField[] = [
  { ...fieldOf("f", true), composed: true },
  fieldOf('odd "name" é', true),
  fieldOf("kept", false),
];

function ranksOf(all: readonly Document[], field: number): number[] {
  const composed = FIELDS[field]!.composed === true;
  return naiveRanks(
    all.map(({ values: { [field]: value } }) => (composed ? (value?.normalize("NFC") ?? null) : value!)),
  );
}

const units = fc.constantFrom(
  "a",
  "A",
  "\u0301",
  "á",
  "b",
  "Z",
  "ß",
  "Σ",
  "İ",
  "\uffff",
  "😀",
  " ",
  '"',
  "\\",
  "\n",
  "\u0001",
);
const texts = fc.oneof(
  fc.string({ unit: units, maxLength: 4 }),
  // Alike up to where less or more of a value is kept.
  fc
    .tuple(
      fc.constantFrom("x", "X", "a", "é"),
      fc.constantFrom(7, 8, 15, 16, 17, 31, 62, 63, 64, 65, 130),
      fc.string({ unit: units, maxLength: 3 }),
      fc.boolean(),
    )
    .map(([letter, n, end, isFarther]) => letter.repeat(n) + end + (isFarther ? "y".repeat(40) + end : "")),
);
const values = fc.option(texts, { freq: 6 });

interface Document {
  readonly values: readonly (string | null)[];
  readonly isLive: boolean;
}
const documents = fc.record({
  values: fc.tuple(values, values, values),
  isLive: fc.boolean().map((isLive) => isLive),
});
const segments = fc.array(
  fc
    .tuple(fc.array(documents, { maxLength: 14 }), fc.boolean())
    .map(([all, isWhole]) => all.map((document) => ({ ...document, isLive: isWhole || document.isLive }))),
  { maxLength: 5 },
);

function jsonOf(document: Document, stored: boolean): string {
  const members = FIELDS.flatMap((field, i) => {
    const value = document.values[i]!;
    return field.stored !== stored || value === null ? [] : [[field.name, value] as const];
  });
  // Members that look like the others, in values of all shapes.
  const others = { n: 1, e: { f: ["}", '"f":"x"', [], {}] }, g: 'a\\"', t: true };
  return JSON.stringify({ ...others, ...Object.fromEntries(members) });
}

async function storeOf(all: readonly Document[]): Promise<DocStoreReader> {
  const writer = new DocStoreWriter();
  for (const document of all) writer.append(jsonOf(document, true), jsonOf(document, false));
  const directory = new MemoryDirectory();
  await directory.write("s1.doc", writer.finish());
  return DocStoreReader.open(await directory.open("s1.doc"));
}

function orderOf(all: readonly Document[], store: DocStoreReader, field: EngineField): TextOrder | null {
  const writer = new TextOrderWriter(field.composed === true);
  all.forEach((document, docId) => {
    const value = document.values[FIELDS.indexOf(field)]!;
    if (value !== null) writer.add(docId, value);
  });
  const source = new StoredTexts(store, field);
  return openTextOrder(
    reopenSections((sink) => writer.write(sink, "o.", all.length, source)),
    "o.",
    all.length,
    "a.idx",
  );
}

async function sourcesOf(all: readonly (readonly Document[])[]): Promise<TextOrderSource[]> {
  let next = 0;
  const sources: TextOrderSource[] = [];
  for (const segment of all) {
    const store = await storeOf(segment);
    const orders = new Map(FIELDS.map((field) => [field.name, orderOf(segment, store, field)]));
    sources.push({
      documents: store,
      docMap: Int32Array.from(segment, ({ isLive }) => (isLive ? next++ : -1)),
      textOrder: (field) => orders.get(field) ?? null,
    });
  }
  return sources;
}

type Begin = (sources: readonly TextOrderSource[]) => TextOrderMerge;
const within =
  (bytesMax: number): Begin =>
  (sources) =>
    new TextOrderMerge(FIELDS, sources, bytesMax);
const MERGES: readonly (readonly [string, Begin])[] = [
  ["all fields at a time", within(1 << 20)],
  ["one field at a time, 16 bytes of each value", within(1)],
];

function merged(begin: Begin, sources: readonly TextOrderSource[], maxDoc: number): (number[] | null)[] {
  const merge = begin(sources);
  const writer = new DocStoreWriter();
  sources.forEach(({ documents: store, docMap }, i) => {
    for (const chunk of copyDocuments(writer, store, docMap, merge.viewerOf(i))) void chunk;
  });
  const ranks = FIELDS.map((field) => {
    const merged = runWhole(merge.merge(field, maxDoc));
    return merged === null ? null : [...merged];
  });
  merge.close();
  return ranks;
}

describe.each(MERGES)("merged text orders, %s", (_, begin) => {
  test("are those of the documents that are left", async () => {
    await fc.assert(
      fc.asyncProperty(segments, async (all) => {
        const kept = all.flat().filter(({ isLive }) => isLive);
        const expected = FIELDS.map((__, i) => {
          const ranks = ranksOf(kept, i);
          return ranks.every((rank) => rank === 0) ? null : ranks;
        });
        expect(merged(begin, await sourcesOf(all), kept.length)).toEqual(expected);
      }),
      { numRuns: 120 },
    );
  });
});

test("many documents, with values of their own and in common", async () => {
  const all = Array.from({ length: 3 }, (_, segment) =>
    Array.from({ length: 700 }, (__, i): Document => {
      const n = (i * 7919 + segment * 131) % 1500;
      const alike = `${"begins alike ".repeat(6)}${n % 3 === 0 ? "é" : ""}${n}`;
      return {
        values: [alike, `T${n % 5}`, n % 4 === 0 ? null : `${alike} ${segment}`],
        isLive: i % 11 !== 3,
      };
    }),
  );
  const kept = all.flat().filter(({ isLive }) => isLive);
  const sources = await sourcesOf(all);
  const expected = FIELDS.map((_, i) => ranksOf(kept, i));
  for (const [, begin] of MERGES) expect(merged(begin, sources, kept.length)).toEqual(expected);
});

test("a store whose documents lack a value is named", async () => {
  const [source] = await sourcesOf([[{ values: ["a", "b", "c"], isLive: true }]]);
  const other = await storeOf([{ values: ["a", null, "c"], isLive: true }]);
  const [, begin] = MERGES[0]!;
  expect(() => begin([{ ...source!, documents: other }])).toThrow(CorruptionError);
});
