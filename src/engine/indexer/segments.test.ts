// Proves, for random schemas and documents of all kinds: a segment written and opened gives every
// document, id, value, rank and term back; under deletes its statistics are those of the live
// documents; a merge is byte for byte what building the survivors gives; the check finds nothing
// wrong; every changed byte of its files is noticed; a failed write leaves the builder as it was.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Documents,
  documentsOf,
  schemas as plainSchemas,
} from "../../../tests/kit/arbitrary-documents.js";
import { documentsBoundAs, withoutOwner } from "../../../tests/kit/file-owners.js";
import { contentOf, naiveContent, spaceAnalyzer } from "../../../tests/kit/naive-text-field.js";
import { releaseShortBuffersToo } from "../../../tests/setup/release-short-buffers.js";
import { CorruptionError, FindlingError } from "../../errors/index.js";
import { writeJson } from "../../json/exact-json.js";
import { emptyBitset, setBit } from "../bytes/bitset.js";
import type { Directory } from "../directory/directory.js";
import { MemoryDirectory } from "../directory/memory-directory.js";
import type { CanonicalDocument, CanonicalValue } from "../schema/document.js";
import type { EngineField, EngineSchema } from "../schema/engine-schema.js";
import { sortBytes } from "../schema/sort-bytes.js";
import { checkSegment } from "../segment/check/check-segment.js";
import { type OpenSegment, openSegment } from "../segment/open-segment.js";
import type { DocBits } from "../segment/segment-reader.js";
import { runWhole } from "../segment/sliced-work.js";
import { encodeDocuments } from "./encoded-documents.js";
import { SegmentBuilder } from "./segment-builder.js";
import { mergeSegments } from "./segment-merger.js";

releaseShortBuffersToo();

/** Fields of text whose whole values are compared in NFC, or as they are. */
const schemas = fc.tuple(plainSchemas, fc.boolean()).map(
  ([schema, isComposed]): EngineSchema => ({
    ...schema,
    fields: schema.fields.map((field) =>
      isComposed && COMPOSABLE.has(field.kind) ? { ...field, composed: true } : field,
    ),
  }),
);
const COMPOSABLE: ReadonlySet<string> = new Set(["text", "keyword", "label", "facet"]);
const cases = schemas.chain((schema) => documentsOf(schema, 20).map((documents) => ({ schema, documents })));

function idOf(number: number): string {
  // Multiplying by an odd number is a bijection, so ids are distinct and not in insertion order.
  return (Math.imul(number + 1, 0x9e37_79b1) >>> 0).toString(16).padStart(8, "0").repeat(4);
}

function builderOf(schema: EngineSchema, documents: Documents, firstId = 0): SegmentBuilder {
  const builder = new SegmentBuilder(schema, spaceAnalyzer);
  documents.forEach((document, i) => {
    expect(builder.add(idOf(firstId + i), document)).toBe(i);
  });
  return builder;
}

async function built(schema: EngineSchema, documents: Documents, firstId = 0): Promise<OpenSegment> {
  const directory = new MemoryDirectory();
  await builderOf(schema, documents, firstId).write(directory, "s1");
  return openSegment(directory, "s1", schema, null);
}

function textValues(document: CanonicalDocument, field: EngineField): string[] {
  const value = Object.hasOwn(document, field.name) ? document[field.name] : undefined;
  return value === undefined ? [] : ((Array.isArray(value) ? value : [value]) as string[]);
}

function jsonOf(schema: EngineSchema, document: CanonicalDocument, stored: boolean): string {
  const members = schema.fields
    .filter((field) => field.stored === stored && Object.hasOwn(document, field.name))
    .map((field) => `${JSON.stringify(field.name)}:${writeJson(document[field.name])}`);
  return `{${members.join(",")}}`;
}

function expectModel(
  segment: OpenSegment,
  schema: EngineSchema,
  documents: Documents,
  live: DocBits | null,
): void {
  expect(segment.maxDoc).toBe(documents.length);
  documents.forEach((document, docId) => {
    expect(segment.storedJson(docId)).toBe(jsonOf(schema, document, true));
    expect(segment.unstoredJson(docId)).toBe(jsonOf(schema, document, false));
    expect(segment.docIdOf(segment.documentId(docId))).toBe(docId);
  });
  for (const field of schema.fields) {
    expect(segment.field(field.name)).toBe(field);
    if (field.kind === "text" || field.kind === "label") {
      const expected = naiveContent(
        documents.map((document) => textValues(document, field)),
        live,
      );
      const terms = segment.terms(field.name);
      if (!field.indexed || expected.terms.length === 0) expect(terms).toBeNull();
      else expect(contentOf(terms!)).toEqual(expected);
    } else {
      expect(segment.terms(field.name)).toBeNull();
    }
    if (field.kind === "text") expectRanks(segment, field, documents);
    else expect(segment.textOrder(field.name)).toBeNull();
    expectColumn(segment, field, documents);
  }
}

function expectRanks(segment: OpenSegment, field: EngineField, documents: Documents): void {
  const form = field.composed === true ? "NFC" : undefined;
  const folded = documents.map((document) => {
    const [text] = textValues(document, field);
    return (form === undefined ? text : text?.normalize(form))?.toLowerCase();
  });
  const order = segment.textOrder(field.name);
  const bytes = (text: string): string => Buffer.from(text).toString("latin1");
  const distinct = [...new Set(folded.filter((text) => text !== undefined))].toSorted((a, b) =>
    bytes(a) < bytes(b) ? -1 : 1,
  );
  if (field.multi || distinct.length === 0) expect(order).toBeNull();
  else
    expect([...order!.ranks]).toEqual(
      folded.map((text) => (text === undefined ? 0 : distinct.indexOf(text) + 1)),
    );
}

function expectColumn(segment: OpenSegment, field: EngineField, documents: Documents): void {
  const column = segment.column(field.name);
  if (field.kind === "text" || field.kind === "opaque") {
    expect(column).toBeNull();
    return;
  }
  const hex = (value: CanonicalValue): string => Buffer.from(sortBytes(field, value)).toString("hex");
  const sets = documents.map((document) => [...new Set(textValues(document, field).map(hex))].toSorted());
  if (sets.every((set) => set.length === 0)) {
    expect(column).toBeNull();
    return;
  }
  const values = (docId: number): string[] => {
    const single = column!.ordinals?.[docId];
    const ordinals =
      single === undefined
        ? [...column!.multiOrdinals!.subarray(column!.multiStarts![docId]!, column!.multiStarts![docId + 1]!)]
        : single === 0
          ? []
          : [single - 1];
    return ordinals.map((ordinal) => Buffer.from(column!.valueBytes(ordinal)).toString("hex"));
  };
  expect(sets.map((_, docId) => values(docId))).toEqual(sets);
  expect(column!.multi).toBe(field.multi);
}

async function bytesOf(directory: Directory, file: string): Promise<Buffer> {
  return Buffer.from(await directory.read(file));
}

describe("segments", () => {
  test("give back what was added, also under deletes", async () => {
    await fc.assert(
      fc.asyncProperty(cases, fc.infiniteStream(fc.boolean()), async ({ schema, documents }, coins) => {
        const directory = new MemoryDirectory();
        const builder = builderOf(schema, documents);
        const files = await builder.write(directory, "s1");
        expect(await directory.list()).toEqual([...files.files].toSorted());
        const segment = await openSegment(directory, "s1", schema, null);
        expect([segment.bytesOnDisk, segment.fileNames, segment.docCount]).toEqual([
          files.bytes,
          files.files,
          documents.length,
        ]);
        expect(documents.map((_, docId) => segment.docIdOf(idOf(docId)))).toEqual([...documents.keys()]);
        expect(segment.docIdOf("0".repeat(32))).toBe(-1);
        expectModel(segment, schema, documents, null);
        const live = emptyBitset(documents.length);
        let liveCount = 0;
        for (let docId = 0; docId < documents.length; docId++) {
          if (!coins.next().value) continue;
          setBit(live, docId);
          liveCount++;
        }
        const view = segment.withLiveDocs(live);
        expect(view.docCount).toBe(liveCount);
        expect(view.liveDocs).toBe(liveCount === documents.length ? null : live);
        expectModel(view, schema, documents, live);
        expect(await checkSegment(directory, "s1", schema, null)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  test("merged: byte for byte the segment of the documents that are left", async () => {
    const merges = schemas.chain((schema) =>
      fc.record({
        schema: fc.constant(schema),
        segments: fc.array(documentsOf(schema, 12), { minLength: 1, maxLength: 4 }),
        deletions: fc.constantFrom(0, 1, 2),
        coins: fc.infiniteStream(fc.nat({ max: 3 })),
      }),
    );
    await fc.assert(
      fc.asyncProperty(merges, async ({ schema, segments, deletions, coins }) => {
        const kept: { id: string; document: CanonicalDocument }[] = [];
        const inputs: OpenSegment[] = [];
        let firstId = 0;
        for (const documents of segments) {
          const segment = await built(schema, documents, firstId);
          const live = emptyBitset(documents.length);
          for (const [docId, document] of documents.entries()) {
            if (coins.next().value! < deletions) continue;
            setBit(live, docId);
            kept.push({ id: idOf(firstId + docId), document });
          }
          inputs.push(segment.withLiveDocs(live));
          firstId += documents.length;
        }
        const directory = new MemoryDirectory();
        await mergeSegments(directory, schema, inputs, "m1");
        const builder = new SegmentBuilder(schema, spaceAnalyzer);
        for (const { id, document } of kept) builder.add(id, document);
        const fresh = new MemoryDirectory();
        await builder.write(fresh, "m1");
        const [ours, anew] = [await bytesOf(directory, "m1.idx"), await bytesOf(fresh, "m1.idx")];
        expect(withoutOwner("m1.idx", ours).equals(withoutOwner("m1.idx", anew))).toBe(true);
        const segment = await openSegment(directory, "m1", schema, null);
        expectModel(
          segment,
          schema,
          kept.map(({ document }) => document),
          null,
        );
        expect(await checkSegment(directory, "m1", schema, null)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  test("notice every changed byte and every cut of both files, naming the file", async () => {
    const schema = smallSchema;
    const directory = new MemoryDirectory();
    await builderOf(schema, smallDocuments).write(directory, "s1");
    for (const file of ["s1.idx", "s1.doc"]) {
      const good = await bytesOf(directory, file);
      for (let i = 0; i < good.length; i++) {
        const bad = Buffer.from(good);
        bad[i]! ^= 1 << (i & 7);
        await directory.publish(file, bad);
        const problems = await checkSegment(directory, "s1", schema, null);
        expect(problems, `${file} byte ${i}`).toHaveLength(1);
        expect(problems[0]!.file).toContain(file);
      }
      for (const length of [0, 1, good.length >> 1, good.length - 1]) {
        await directory.publish(file, good.subarray(0, length));
        expect(await checkSegment(directory, "s1", schema, null)).toHaveLength(1);
      }
      await directory.publish(file, good);
      expect(await checkSegment(directory, "s1", schema, null)).toEqual([]);
    }
    await directory.delete("s1.doc");
    await expect(openSegment(directory, "s1", schema, null)).rejects.toThrowError(CorruptionError);
  });

  test("aren't opened under another schema, nor with another segment's documents or deletes", async () => {
    const directory = new MemoryDirectory();
    await builderOf(smallSchema, smallDocuments).write(directory, "s1");
    await builderOf(smallSchema, smallDocuments.slice(1)).write(directory, "s2");
    const renamed = {
      ...smallSchema,
      fields: smallSchema.fields.map((field) => ({ ...field, name: `${field.name}x` })),
    };
    await expect(openSegment(directory, "s1", renamed, null)).rejects.toThrowError(/s1\.idx.*another schema/);
    await directory.publish("s1.doc", await bytesOf(directory, "s2.doc"));
    await expect(openSegment(directory, "s1", smallSchema, null)).rejects.toThrowError(/s1\.doc/);
  });

  test("check notices documents that disagree with the index", async () => {
    const directory = new MemoryDirectory();
    await builderOf(smallSchema, smallDocuments).write(directory, "s1");
    const changed = smallDocuments.map((document, i) => (i === 1 ? { ...document, year: 7 } : document));
    await builderOf(smallSchema, changed).write(directory, "s2");
    const changedStore = await bytesOf(directory, "s2.doc");
    await directory.publish("s1.doc", documentsBoundAs(changedStore, await bytesOf(directory, "s1.doc")));
    const problems = await checkSegment(directory, "s1", smallSchema, null);
    expect(problems).toEqual([
      { file: "s1.doc", problem: "document 1, field 'year': its column has other values" },
    ]);
  });

  test("refuse a document that doesn't fit before anything of it is added", async () => {
    const builder = builderOf(smallSchema, smallDocuments);
    const misfits: CanonicalDocument[] = [
      { title: 1 },
      { title: "ok", year: "x" },
      { title: "ok", tags: [] },
      { title: "ok", tags: "/a" },
      { title: "ok", tags: ["/a", "b"] },
      { title: null },
      { title: ["ok"] },
      { unknown: 1 },
      { toString: 1 },
    ];
    for (const document of misfits) {
      for (const act of [
        () => builder.add(idOf(99), document),
        () => runWhole(encodeDocuments(smallSchema, [idOf(99)], [document])),
      ]) {
        expect(act).toThrowError(FindlingError);
        expect(act).toThrowError(expect.objectContaining({ code: "invalid_document" }));
      }
    }
    expect(() => builder.add("no id", { title: "ok" })).toThrowError(FindlingError);
    const directory = new MemoryDirectory();
    await builder.write(directory, "s1");
    expectModel(await openSegment(directory, "s1", smallSchema, null), smallSchema, smallDocuments, null);
  });

  test("a failed write leaves no file, and the builder goes on", async () => {
    await fc.assert(
      fc.asyncProperty(
        cases,
        fc.nat(),
        fc.constantFrom("s1.idx", "s1.doc"),
        async ({ schema, documents }, cut, failing) => {
          const directory = new MemoryDirectory();
          const faulty: Directory = Object.create(directory, {
            write: {
              value: (name: string, chunks: readonly Uint8Array[]) =>
                name === failing ? Promise.reject(new Error("no space")) : directory.write(name, chunks),
            },
            delete: { value: (name: string) => directory.delete(name) },
          });
          const first = documents.slice(0, cut % (documents.length + 1));
          const builder = builderOf(schema, first);
          await expect(builder.write(faulty, "s1")).rejects.toThrowError("no space");
          expect(await directory.list()).toEqual([]);
          documents.slice(first.length).forEach((document, i) => {
            builder.add(idOf(first.length + i), document);
          });
          await builder.write(directory, "s1");
          expectModel(await openSegment(directory, "s1", schema, null), schema, documents, null);
        },
      ),
      { numRuns: 50 },
    );
  });

  test("memory estimates grow with what is added", () => {
    const builder = new SegmentBuilder(smallSchema, spaceAnalyzer);
    let before = builder.bytesUsed;
    for (let i = 0; i < 4; i++) {
      for (let j = 0; j < 500; j++)
        builder.add(idOf(i * 500 + j), { title: `word${i * 500 + j}`, year: i * 500 + j });
      expect(builder.bytesUsed).toBeGreaterThan(before + 500 * 40);
      before = builder.bytesUsed;
    }
  });
});

const smallSchema: EngineSchema = {
  fields: [
    { name: "title", kind: "text", indexed: true, stored: true, multi: false },
    { name: "year", kind: "u64", indexed: true, stored: false, multi: false },
    { name: "tags", kind: "facet", indexed: true, stored: true, multi: true },
  ],
  analyzer: { version: 1 },
};

const smallDocuments: Documents = [
  { title: "one two", year: 3, tags: ["/a/b", "/c"] },
  { title: "two", year: 4 },
  { tags: ["/a"] },
];
