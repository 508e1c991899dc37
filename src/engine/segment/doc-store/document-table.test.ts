/** Holds what a `Map` holds after the same steps, and the ids that its documents were given, however doc ids crowd. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { DocumentTable } from "./document-table.js";

const docId = fc.oneof(
  fc.nat({ max: 40 }),
  fc.nat({ max: 2 ** 31 - 2 }),
  // Of like hashes.
  fc.nat({ max: 40 }).map((i) => (Math.imul(i, 0x144cbc89) >>> 0) & 0x7fff_fffe),
);
const step = fc.record({
  kind: fc.constantFrom("set", "set", "name", "delete", "clear"),
  docId,
  often: fc.integer({ min: 1, max: 60 }),
});

test("is a map, with ids", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const table = new DocumentTable<string>();
      const map = new Map<number, string>();
      const ids = new Map<number, string>();
      const seen = new Set<number>();
      for (const [i, { kind, docId: first, often }] of steps.entries()) {
        if (kind === "clear" && i % 5 === 0) {
          table.clear();
          map.clear();
          ids.clear();
        }
        for (let id = first; kind !== "clear" && id < Math.min(first + often, 2 ** 31 - 1); id++) {
          seen.add(id);
          if (kind === "delete") {
            table.delete(id);
            map.delete(id);
            ids.delete(id);
          } else if (kind === "name") {
            table.name(id, `id ${id}`);
            if (map.has(id)) ids.set(id, `id ${id}`);
          } else {
            table.set(id, `${id} ${i}`);
            map.set(id, `${id} ${i}`);
          }
        }
        for (const id of seen) {
          const place = table.placeOf(id);
          expect(table.get(id)).toBe(map.get(id));
          expect(table.at(place)).toBe(map.get(id));
          expect(table.idAt(place)).toBe(ids.get(id));
        }
      }
    }),
    { numRuns: 200 },
  );
});
