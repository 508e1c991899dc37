import { expect, test } from "vitest";
import type { EngineField, EngineSchema } from "../schema/engine-schema.js";
import { OpenedFields } from "./opened-fields.js";

/** A schema that counts how often the name of one of its fields is asked for. */
function countingSchema(fieldCount: number): { readonly schema: EngineSchema; readonly reads: () => number } {
  let reads = 0;
  const fields = Array.from(
    { length: fieldCount },
    (_, ordinal): EngineField => ({
      get name() {
        reads++;
        return `f${ordinal}`;
      },
      kind: ordinal % 2 === 0 ? "text" : "u64",
      indexed: true,
      stored: true,
      multi: false,
    }),
  );
  return { schema: { fields, analyzer: { version: 1 } }, reads: () => reads };
}

test("each field is opened once, and finding all of many goes through the schema once", () => {
  const { schema, reads } = countingSchema(1_000);
  const opened: number[] = [];
  const fields = new OpenedFields(
    schema,
    ({ kind }) => kind === "text",
    (ordinal) => opened.push(ordinal),
  );
  for (let turn = 0; turn < 2; turn++) {
    for (let ordinal = 0; ordinal < 1_000; ordinal++) {
      expect(fields.of(`f${ordinal}`)).toBe(ordinal % 2 === 0 ? ordinal / 2 + 1 : null);
    }
  }
  expect(fields.of("others")).toBeNull();
  expect(opened).toEqual(Array.from({ length: 500 }, (_, i) => 2 * i));
  expect(reads()).toBe(1_000);
});
