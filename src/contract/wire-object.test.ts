import { expect, test } from "vitest";
import { memberOf } from "./wire-object.js";

test("a member is the object's own, and null counts as absent", () => {
  const object = { no: false, zero: 0, empty: "", nothing: null, toString: 1 };
  const names = ["no", "zero", "empty", "nothing", "toString", "absent", "constructor", "hasOwnProperty"];
  expect(names.map((name) => memberOf(object, name))).toEqual([
    false,
    0,
    "",
    undefined,
    1,
    undefined,
    undefined,
    undefined,
  ]);
});
