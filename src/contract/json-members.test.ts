import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonMembers, pickJsonMembers } from "./json-members.js";

const object = fc.dictionary(
  fc.oneof(fc.constantFrom("a", "b", '"', "\\", "{,}"), fc.string()),
  fc.jsonValue(),
);

test("the members are those of the parsed object", () => {
  fc.assert(
    fc.property(object, fc.constantFrom(undefined, 2), (value, indent) => {
      const members = jsonMembers(JSON.stringify(value, null, indent));
      const parsed = [...members].map(([name, text]) => [name, JSON.parse(text) as unknown]);
      expect(parsed).toEqual(Object.entries(JSON.parse(JSON.stringify(value)) as object));
    }),
  );
});

test("picking keeps the named ones", () => {
  fc.assert(
    fc.property(object, fc.array(fc.constantFrom("a", "b", '"', "c")), (value, names) => {
      const picked = JSON.parse(pickJsonMembers(JSON.stringify(value), new Set(names))) as unknown;
      const kept = Object.entries(value).filter(([name]) => (names as readonly string[]).includes(name));
      expect(picked).toEqual(JSON.parse(JSON.stringify(Object.fromEntries(kept))));
    }),
  );
});

test("numbers keep their digits", () => {
  expect(pickJsonMembers('{"a":18446744073709551615,"b":1}', new Set(["a"]))).toBe(
    '{"a":18446744073709551615}',
  );
});
