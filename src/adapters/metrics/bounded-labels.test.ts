// Properties: never more labels than the bound and `other` for each group; a value keeps its label; what isn't
// plain text has none of its own.
import fc from "fast-check";
import { expect, test } from "vitest";
import { BoundedLabels, OTHER } from "./bounded-labels.js";

test("there are at most as many labels as the bound, and the same value always has the same", () => {
  const value = fc.record({
    value: fc.oneof(fc.string({ maxLength: 2 }), fc.string({ unit: "grapheme", maxLength: 2 })),
    group: fc.constantFrom("a", "b"),
  });
  fc.assert(
    fc.property(fc.array(value, { maxLength: 60 }), fc.nat({ max: 8 }), (values, countMax) => {
      const labels = new BoundedLabels(countMax);
      const first = values.map((each) => labels.labelOf(each.value, each.group));
      const own = new Set<string>();
      for (const [i, each] of values.entries()) {
        expect([OTHER, each.value]).toContain(first[i]);
        if (first[i] !== OTHER) own.add(`${each.group} ${each.value}`);
      }
      expect(own.size).toBeLessThanOrEqual(countMax);
      expect(values.map((each) => labels.labelOf(each.value, each.group))).toEqual(first);
    }),
  );
});

test("the first values have labels, in each group apart", () => {
  const labels = new BoundedLabels(3);
  const of = (value: string, group: string): string => labels.labelOf(value, group);
  expect([of("m", "a"), of("m", "b"), of("n", "a"), of("n", "b"), of("m", "b")]).toEqual([
    "m",
    "m",
    "n",
    OTHER,
    "m",
  ]);
});

test.each(["", "a\nb", "\u0000", "ü", "\ud800", "x".repeat(201)])("has no label for %j", (value) => {
  expect(new BoundedLabels(3).labelOf(value)).toBe(OTHER);
});

test.each(["llama3.2:latest", 'quoted "name" \\', "x".repeat(200)])("has one for %j", (value) => {
  expect(new BoundedLabels(3).labelOf(value)).toBe(value);
});
