import { expect, test } from "vitest";
import { FACET_BYTES_MAX, FACET_LEVELS_MAX } from "../../engine/schema/facet-bounds.js";
import * as wire from "./parse-facet-path.js";

test("what the engine indexes whole is taken, and nothing else", () => {
  expect([wire.FACET_LEVELS_MAX, wire.FACET_BYTES_MAX]).toEqual([FACET_LEVELS_MAX, FACET_BYTES_MAX]);
});

const long = "x".repeat(FACET_BYTES_MAX - 1);
const wide = "é".repeat(FACET_BYTES_MAX / 2 - 1);

test.each([
  ["as many levels as may be", "/a".repeat(FACET_LEVELS_MAX), "/a".repeat(FACET_LEVELS_MAX)],
  [
    "the same with a slash behind, and none before",
    `${"a/".repeat(FACET_LEVELS_MAX)}`,
    "/a".repeat(FACET_LEVELS_MAX),
  ],
  ["one level more", "/a".repeat(FACET_LEVELS_MAX + 1), null],
  ["as many bytes as may be", long, `/${long}`],
  ["one more", `${long}x`, null],
  ["the same where characters take two", wide, `/${wide}`],
  ["one of these more", `${wide}é`, null],
  ["forty kilobytes", "/a".repeat(20_000), null],
])("%s", (_, path, expected) => {
  expect(wire.parseFacetPath(path)).toBe(expected);
});
