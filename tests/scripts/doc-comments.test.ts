/** The rule that doc comments are sentences with a subject: no sentence of theirs begins a line with "Of" or "The same". */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const WITHOUT_SUBJECT = /^\s*(?:\/\*\*|\*) (?:Of|The same)\b.*$/gm;

test("no doc comment begins with Of or The same", () => {
  const paths = execFileSync("git", ["ls-files", "*.ts", "*.tsx", "*.mjs"], { encoding: "utf8" })
    .trim()
    .split("\n");
  expect(paths.length).toBeGreaterThan(1_000);
  const found = paths.flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(WITHOUT_SUBJECT)].map(([line]) => `${path}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});
