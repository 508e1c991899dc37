/** The lists of test files name nothing that is gone: each glob, every name in braces by itself, finds a file. */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { LONG_TESTS } from "../setup/long-tests.js";
import { TESTS_IN_PROCESSES_OF_THEIR_OWN } from "../setup/process-of-its-own.js";

const globs = [...LONG_TESTS, ...TESTS_IN_PROCESSES_OF_THEIR_OWN].flatMap((glob) => {
  const [, start, names, end] = /^(.*)\{(.*)\}(.*)$/.exec(glob) ?? [];
  return names === undefined ? [glob] : names.split(",").map((name) => `${start}${name}${end}`);
});

test.each(globs)("%s", (glob) => {
  const found = execFileSync("git", ["ls-files", `:(glob)${glob}`], { encoding: "utf8" });
  expect(found).not.toBe("");
});
