import { expect, test } from "vitest";
import { isNestedTooDeep, JSON_DEPTH_MAX } from "./json-nesting.js";

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
const text = JSON.stringify(`"\\${"[".repeat(JSON_DEPTH_MAX)}`);

test.each([
  ["as deep as may be", nested(JSON_DEPTH_MAX), false],
  ["one level more", nested(JSON_DEPTH_MAX + 1), true],
  ["the same in objects", '{"a":'.repeat(JSON_DEPTH_MAX + 1), true],
  ["a million levels", nested(1_000_000), true],
  ["brackets beside each other", `[${"[],".repeat(JSON_DEPTH_MAX)}[]]`, false],
  ["brackets within texts", `{${text}:[${text},${text}]}`, false],
  ["what is deep behind texts", `[${text},${nested(JSON_DEPTH_MAX)}]`, true],
  ["a text that doesn't end", `["${"[".repeat(2 * JSON_DEPTH_MAX)}\\`, false],
])("%s", (_, json, expected) => {
  expect(isNestedTooDeep(json)).toBe(expected);
});
