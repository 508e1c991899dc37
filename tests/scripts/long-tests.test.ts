/** The list of the long suite names nothing that is gone: each of its globs, every name in braces by itself, finds a file. */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { LONG_TESTS } from "../setup/long-tests.js";

const globs = LONG_TESTS.flatMap((glob) => {
  const [, start, names, end] = /^(.*)\{(.*)\}(.*)$/.exec(glob) ?? [];
  return names === undefined ? [glob] : names.split(",").map((name) => `${start}${name}${end}`);
});

test.each(globs)("%s", (glob) => {
  const found = execFileSync("git", ["ls-files", `:(glob)${glob}`], { encoding: "utf8" });
  expect(found).not.toBe("");
});
