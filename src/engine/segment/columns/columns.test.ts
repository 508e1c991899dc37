// Proves: a column written, and one merged, answer every question as sets of values per document
// do; the check accepts them and notices damage.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { reopenSections } from "../../../../tests/kit/reopen-sections.js";
import { compareBytes } from "../../schema/compare-bytes.js";
import type { EngineField } from "../../schema/engine-schema.js";
import { FACET_BYTES_MAX, FACET_LEVELS_MAX, indexedFacetLength } from "../../schema/facet-bounds.js";
import { sortBytes } from "../../schema/sort-bytes.js";
import { checkColumn } from "../check/check-column.js";
import type { ContainerReader } from "../container/container-reader.js";
import { ColumnReader } from "./column-reader.js";
import type { ColumnShape } from "./column-sections.js";
import { ColumnWriter } from "./column-writer.js";
import { newAncestorEnds } from "./facet-tree.js";
import { mergeColumns } from "./merge-columns.js";

type Documents = readonly (readonly Uint8Array[])[];

const keyword: EngineField = { name: "f", kind: "keyword", indexed: true, stored: true, multi: true };
const facet: EngineField = { ...keyword, kind: "facet" };

const keywords = fc
  .string({ unit: fc.constantFrom("a", "b", "é", "😀"), maxLength: 9 })
  .map((text) => sortBytes(keyword, text));
const numbers = fc.nat({ max: 30 }).map((value) => sortBytes({ ...keyword, kind: "u64" }, value));
const paths = fc
  .array(fc.constantFrom("a", "b", "a!", "c"), { minLength: 1, maxLength: 4 })
  .map((segments) => sortBytes(facet, `/${segments.join("/")}`));

interface Case {
  readonly field: EngineField;
  readonly shape: ColumnShape;
  readonly documents: Documents;
}

function cases(maxLength: number): fc.Arbitrary<Case> {
  return fc.constantFrom("keyword" as const, "u64" as const, "facet" as const).chain((kind) =>
    fc.boolean().chain((multi) => {
      const values = kind === "keyword" ? keywords : kind === "u64" ? numbers : paths;
      const document = fc.array(values, { maxLength: multi ? 5 : 1 });
      return fc.array(document, { maxLength }).map((documents) => ({
        field: { ...keyword, kind, multi },
        shape: { multi, facet: kind === "facet" },
        documents,
      }));
    }),
  );
}

function written({ shape, documents }: Case): ContainerReader {
  const writer = new ColumnWriter(shape);
  documents.forEach((values, docId) => {
    for (const value of values) writer.addValue(docId, value, value.length);
  });
  return reopenSections((sink) => writer.write(sink, "f0.column.", documents.length));
}

function opened(sections: ContainerReader, maxDoc: number): ColumnReader | null {
  return ColumnReader.open(sections, "f0.column.", maxDoc, "a.idx");
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");

function expectModel(
  column: ColumnReader | null,
  { field, shape, documents }: Case,
  probe: Uint8Array,
): void {
  const sets = documents.map((values) => [...new Set(values.map(text))].toSorted());
  if (sets.every((set) => set.length === 0)) {
    expect(column).toBeNull();
    return;
  }
  const dictionary = new Set(sets.flat());
  if (shape.facet) {
    for (const value of documents.flat()) {
      for (const end of newAncestorEnds(value, new Uint8Array(0)))
        dictionary.add(text(value.subarray(0, end)));
    }
  }
  // Latin-1 text of bytes has the bytes' order.
  const sorted = [...dictionary].toSorted();
  const ordinalSets = sets.map((set) => set.map((value) => sorted.indexOf(value)));
  const found = column!;
  expect(found.valueCount).toBe(sorted.length);
  expect(found.multi).toBe(shape.multi);
  expect(found.docsWithValue).toBe(sets.filter((set) => set.length > 0).length);
  expect(sorted.map((_, ordinal) => text(found.valueBytes(ordinal)))).toEqual(sorted);
  if (shape.multi) {
    expect(found.ordinals).toBeNull();
    const lists = sets.map((_, docId) => [
      ...found.multiOrdinals!.subarray(found.multiStarts![docId]!, found.multiStarts![docId + 1]!),
    ]);
    expect(lists).toEqual(ordinalSets);
  } else {
    expect(found.multiStarts).toBeNull();
    expect([...found.ordinals!]).toEqual(ordinalSets.map((ordinals) => (ordinals[0] ?? -1) + 1));
  }
  sorted.forEach((value, ordinal) => {
    const docs = [...found.docs.subarray(found.docStarts[ordinal]!, found.docStarts[ordinal + 1]!)];
    expect(docs).toEqual(sets.flatMap((set, docId) => (set.includes(value) ? [docId] : [])));
    expect(found.ordinalOf(found.valueBytes(ordinal))).toBe(ordinal);
    if (!shape.facet) return;
    expect(found.facetParents![ordinal]).toBe(sorted.indexOf(value.slice(0, value.lastIndexOf("\0"))));
    const under = sorted.filter((other) => other.startsWith(`${value}\0`)).length;
    expect(found.facetSubtreeEnds![ordinal]).toBe(ordinal + 1 + under);
  });
  expect(found.ordinalOf(probe)).toBe(sorted.indexOf(text(probe)));
  expect(found.lowerBound(probe)).toBe(
    sorted.filter((_, ordinal) => compareBytes(found.valueBytes(ordinal), probe) < 0).length,
  );
  expect(checkColumn(field, found, documents.length)).toEqual([]);
}

const probes = fc.oneof(keywords, numbers, paths);

describe("columns", () => {
  test("written: agree with sets of values", () => {
    fc.assert(
      fc.property(cases(30), probes, (example, probe) => {
        expectModel(opened(written(example), example.documents.length), example, probe);
      }),
      { numRuns: 300 },
    );
  });

  test("merged: agree with a column of the documents that are left", () => {
    const merges = fc.tuple(
      cases(30),
      fc.array(fc.nat({ max: 30 }), { maxLength: 3 }),
      fc.infiniteStream(fc.boolean()),
    );
    fc.assert(
      fc.property(merges, probes, ([whole, cuts, deleted], probe) => {
        const bounds = [
          0,
          ...cuts.map((cut) => Math.min(cut, whole.documents.length)),
          whole.documents.length,
        ].toSorted((a, b) => a - b);
        const kept: (readonly Uint8Array[])[] = [];
        const inputs = bounds.slice(1).map((end, i) => {
          const documents = whole.documents.slice(bounds[i], end);
          const docMap = Int32Array.from(documents, (values) => {
            if (deleted.next().value) return -1;
            return kept.push(values) - 1;
          });
          return { column: opened(written({ ...whole, documents }), documents.length), docMap };
        });
        const sections = reopenSections((sink) =>
          mergeColumns(sink, "f0.column.", inputs, kept.length, whole.shape),
        );
        expectModel(opened(sections, kept.length), { ...whole, documents: kept }, probe);
      }),
      { numRuns: 300 },
    );
  });

  test("take the narrowest ordinals", () => {
    for (const [valueCount, type] of [
      [255, Uint8Array],
      [256, Uint16Array],
      [65_535, Uint16Array],
      [65_536, Uint32Array],
    ] as const) {
      const documents = Array.from({ length: valueCount }, (_, value) => [
        sortBytes({ ...keyword, kind: "u64" }, value),
      ]);
      const shape = { multi: false, facet: false };
      const column = opened(written({ field: keyword, shape, documents }), valueCount)!;
      expect(column.ordinals).toBeInstanceOf(type);
      expect(column.ordinals![valueCount - 1]).toBe(valueCount);
    }
  });

  test("check notices damage of every section", () => {
    const documents = ["/a/b", "/a", "/c", "/a/b"].map((path) => [sortBytes(facet, path)]);
    for (const multi of [false, true]) {
      const example = { field: { ...facet, multi }, shape: { multi, facet: true }, documents };
      for (const name of written(example).sectionNames) {
        const damages = name.endsWith("header") ? 1 : written(example).u8(name).length;
        for (let i = 0; i < damages; i++) {
          const sections = written(example);
          if (name.endsWith("header")) sections.u32(name)[1]!--;
          else sections.u8(name)[i]! ^= 1;
          const problems = (): string[] => {
            const column = opened(sections, documents.length);
            return column === null ? ["none"] : checkColumn(example.field, column, documents.length);
          };
          let noticed = false;
          try {
            noticed = problems().length > 0;
          } catch {
            noticed = true;
          }
          // A letter of a path may change into another letter without anything to contradict it.
          if (!name.endsWith("values")) expect(noticed, `${name} ${i}`).toBe(true);
        }
      }
    }
  });
});

describe("facet paths beyond the bounds", () => {
  const shape = { multi: false, facet: true };
  const pathOf = (text: string): Uint8Array => sortBytes(facet, text);

  test("are indexed up to them", () => {
    const levels = (count: number): string => "/a".repeat(count);
    const cases: [string, string][] = [
      [levels(FACET_LEVELS_MAX), levels(FACET_LEVELS_MAX)],
      [levels(FACET_LEVELS_MAX + 1), levels(FACET_LEVELS_MAX)],
      [levels(20_000), levels(FACET_LEVELS_MAX)],
      [`/${"x".repeat(FACET_BYTES_MAX - 1)}`, `/${"x".repeat(FACET_BYTES_MAX - 1)}`],
      [`/a/${"x".repeat(FACET_BYTES_MAX - 3)}`, `/a/${"x".repeat(FACET_BYTES_MAX - 3)}`],
      [`/a/${"x".repeat(FACET_BYTES_MAX - 2)}`, "/a"],
      [`/a/b/${"x".repeat(FACET_BYTES_MAX)}/c`, "/a/b"],
      // No character is cut.
      [`/${"é".repeat(FACET_BYTES_MAX)}/c`, `/${"é".repeat(FACET_BYTES_MAX / 2 - 1)}`],
      [`/${"x".repeat(FACET_BYTES_MAX)}/c`, `/${"x".repeat(FACET_BYTES_MAX - 1)}`],
    ];
    for (const [path, indexed] of cases) {
      const bytes = pathOf(path);
      const length = indexedFacetLength(bytes, bytes.length);
      expect(text(bytes.subarray(0, length)), path.slice(0, 20)).toBe(text(pathOf(indexed)));
      const example = { field: facet, shape, documents: [[bytes.slice(0, length)]] };
      expectModel(opened(written({ ...example, documents: [[bytes]] }), 1), example, bytes);
    }
  });

  test("take memory for what is indexed of them, known before they are written", () => {
    const writer = new ColumnWriter(shape);
    const empty = writer.bytesUsed;
    const path = pathOf("/a".repeat(20_000));
    writer.addValue(0, path, path.length);
    const taken = writer.bytesUsed - empty;
    expect(taken).toBeGreaterThan(FACET_LEVELS_MAX * FACET_LEVELS_MAX);
    expect(taken).toBeLessThan(16 * 1024);
  });

  test("what those above paths will take is counted once", () => {
    const writer = new ColumnWriter({ multi: true, facet: true });
    const above = "/abcdefg".repeat(60);
    const used = [1, 2, 3].map((docId) => {
      const path = pathOf(`${above}/${docId}`);
      writer.addValue(docId, path, path.length);
      return writer.bytesUsed;
    });
    expect(used[1]! - used[0]!).toBeLessThan(used[0]! / 4);
    expect(used[2]! - used[1]!).toBeLessThan(used[0]! / 4);
  });
});
