// Proves: ids come back by doc id and doc ids by id; what isn't there isn't found; damage of the
// order shows in the check.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { reopenSections } from "../../../../tests/kit/reopen-sections.js";
import { CorruptionError, FindlingError } from "../../../errors/index.js";
import { DocumentIdSource } from "../../schema/document-ids.js";
import type { ContainerReader } from "../container/container-reader.js";
import { DocumentIdsReader } from "./document-ids-reader.js";
import { DocumentIdsWriter } from "./document-ids-writer.js";

const documentIds = fc.oneof(
  fc.stringMatching(/^[0-9a-f]{32}$/),
  fc.stringMatching(/^0{30}[0-9a-f]{2}$/),
  fc.stringMatching(/^f{31}[0-9a-f]$/),
);
const idLists = fc
  .uniqueArray(documentIds, { maxLength: 200 })
  .chain((ids) => fc.constantFrom(ids, ids.toSorted(), ids.toSorted().reverse()));

function written(ids: readonly string[]): ContainerReader {
  const writer = new DocumentIdsWriter();
  for (const id of ids) writer.add(id);
  return reopenSections((sink) => writer.write(sink));
}

describe("document ids", () => {
  test("are found both ways", () => {
    fc.assert(
      fc.property(idLists, documentIds, (ids, other) => {
        const reader = new DocumentIdsReader(written(ids), ids.length, "a.idx");
        ids.forEach((id, docId) => {
          expect(reader.documentId(docId)).toBe(id);
          expect(reader.docIdOf(id)).toBe(docId);
        });
        expect(reader.docIdOf(other)).toBe(ids.indexOf(other));
        expect(reader.check()).toEqual([]);
      }),
    );
  });

  test("refuses what is no id, and an id twice", () => {
    const reader = new DocumentIdsReader(written([]), 0, "a.idx");
    for (const id of ["", "0".repeat(31), "0".repeat(33), "A".repeat(32), "g".repeat(32)]) {
      expect(reader.docIdOf(id)).toBe(-1);
      expect(() => new DocumentIdsWriter().add(id)).toThrowError(FindlingError);
    }
    expect(() => written(["0".repeat(32), "0".repeat(32)])).toThrowError(/twice/);
    const run = "ab".repeat(12);
    for (const end of ["0000000A", "0000000g", "0000000", "000000001"]) {
      const writer = new DocumentIdsWriter();
      writer.add(`${run}00000000`);
      expect(() => writer.add(run + end)).toThrowError(FindlingError);
      expect(writer.count).toBe(1);
    }
  });

  test("check notices an order that is none", () => {
    const ids = ["2".repeat(32), "1".repeat(32), "0".repeat(32)];
    const sections = written(ids);
    const problemsOf = (order: number[]): string[] => {
      sections.u32("ids.order").set(order);
      return new DocumentIdsReader(sections, 3, "a.idx").check();
    };
    expect(problemsOf([2, 1, 0])).toEqual([]);
    for (const order of [
      [1, 2, 0],
      [2, 1, 3],
      [2, 1, 1],
    ]) {
      expect(problemsOf(order)).toHaveLength(1);
    }
  });

  test("check notices runs and ids that can't be", () => {
    const ids = ["0".repeat(32), `${"0".repeat(31)}1`, "1".repeat(32), "2".repeat(32)];
    const damaged = (change: (sections: ContainerReader) => void): string[] => {
      const sections = written(ids);
      change(sections);
      return new DocumentIdsReader(sections, 4, "a.idx").check();
    };
    expect(damaged(() => undefined)).toEqual([]);
    expect(damaged((sections) => sections.u32("ids.runs").set([0, 3, 2]))).toHaveLength(1);
    expect(damaged((sections) => sections.u32("ids.runs").set([0, 2, 9]))).toHaveLength(1);
    expect(damaged((sections) => sections.u32("ids.suffixes").set([1, 1]))).toHaveLength(1);
    expect(damaged((sections) => sections.u8("ids.prefixes").fill(0x20, 0, 12))).toHaveLength(1);
    expect(() => damaged((sections) => sections.u32("ids.runs").set([1]))).toThrowError(CorruptionError);
  });

  test("of one source need no order, and hardly any room", () => {
    const sections = written(new DocumentIdSource().next(10_000));
    expect(sections.has("ids.order")).toBe(false);
    expect(sections.u32("ids.runs").length).toBe(1);
  });
});
