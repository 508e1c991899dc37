// Property: whatever readers ask for, in whatever order, each gets its own documents' ids, and an id that is asked for
// again and again is the same text from the second time on, unless others took its place meanwhile.
import fc from "fast-check";
import { expect, test } from "vitest";
import { reopenSections } from "../../../../tests/kit/reopen-sections.js";
import { DocumentIdsReader } from "./document-ids-reader.js";
import { DocumentIdsWriter } from "./document-ids-writer.js";
import { RecentIds } from "./recent-ids.js";

test("readers don't get one another's ids", () => {
  const asked = fc.array(fc.record({ reader: fc.nat(5), docId: fc.nat(3).map((n) => n * 16_384) }), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(asked, (requests) => {
      const recent = new RecentIds();
      const readers = Array.from({ length: 6 }, () => recent.newReader());
      for (const { reader, docId } of requests) {
        const own = `${reader} ${docId}`;
        const found = recent.find(readers[reader]!, docId);
        expect(found ?? own).toBe(own);
        if (found === undefined) recent.note(readers[reader]!, docId, own);
      }
    }),
  );
});

test("kept from the second time on, until another document takes the place", () => {
  const recent = new RecentIds();
  const reader = recent.newReader();
  recent.note(reader, 7, "seven");
  expect(recent.find(reader, 7)).toBeUndefined();
  recent.note(reader, 7, "seven");
  expect(recent.find(reader, 7)).toBe("seven");
  recent.note(reader, 7 + 16_384, "another");
  expect(recent.find(reader, 7)).toBeUndefined();
  expect(recent.find(reader, 7 + 16_384)).toBeUndefined();
});

test("ids of several segments, asked for in any order", () => {
  const list = (from: number): string[] =>
    Array.from({ length: 300 }, (_, n) => (from + n).toString(16).padStart(32, "0"));
  const segments = [0, 5_000, 90_000].map((from) => {
    const ids = list(from);
    const writer = new DocumentIdsWriter();
    for (const id of ids) writer.add(id);
    const reader = new DocumentIdsReader(
      reopenSections((sink) => writer.write(sink)),
      ids.length,
      "a.idx",
    );
    return { ids, reader };
  });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(2), fc.nat(20)), { maxLength: 100 }), (requests) => {
      for (const [segment, docId] of requests) {
        const { ids, reader } = segments[segment]!;
        expect(reader.documentId(docId)).toBe(ids[docId]);
      }
    }),
  );
});
