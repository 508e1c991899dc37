/** Subjects of commits of a small repository: later ones are at most 72 characters long, earlier ones as they are. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const SCRIPT = fileURLToPath(new URL("../../scripts/check-commits.mjs", import.meta.url));
const BEFORE_THE_RULE = "2026-11-25T12:00:00Z";
const AFTER_THE_RULE = "2026-11-28T12:00:00Z";

let root = "";
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "findling-commits-"));
  git(root, AFTER_THE_RULE, "init", "--quiet");
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

test("a long subject is told, one of before the rule isn't", () => {
  commit(BEFORE_THE_RULE, "o".repeat(200));
  commit(AFTER_THE_RULE, "ü".repeat(72), "A body may be as long as it likes: ".repeat(9));
  expect(check(root)).toEqual({ status: 0, told: "" });
  commit(AFTER_THE_RULE, "x".repeat(73));
  commit(AFTER_THE_RULE, "a short one behind it");
  expect(check(root)).toMatchObject({
    status: 1,
    told: expect.stringMatching(/^[0-9a-f]{8}: a subject of 73 characters, 72 at most: x{73}\n$/),
  });
});

test("a shallow clone is looked at as far as it reaches", () => {
  const clone = join(root, "clone");
  git(root, AFTER_THE_RULE, "clone", "--quiet", "--depth", "2", `file://${root}`, clone);
  expect(check(clone).status).toBe(1);
  rmSync(clone, { recursive: true });
  git(root, AFTER_THE_RULE, "clone", "--quiet", "--depth", "1", `file://${root}`, clone);
  expect(check(clone)).toEqual({ status: 0, told: "" });
});

test("where there is no history the check says that it was skipped", () => {
  const folder = mkdtempSync(join(tmpdir(), "findling-no-history-"));
  const { status, told } = check(folder);
  rmSync(folder, { recursive: true });
  expect({ status, told }).toEqual({ status: 0, told: expect.stringContaining("skipped") });
});

function commit(date: string, ...paragraphs: string[]) {
  git(root, date, "commit", "--quiet", "--allow-empty", ...paragraphs.flatMap((text) => ["-m", text]));
}

function git(folder: string, date: string, ...parameters: string[]) {
  const identity = [
    "-c",
    "user.name=Test",
    "-c",
    "user.email=test@example.org",
    "-c",
    "commit.gpgsign=false",
  ];
  const { status, stderr } = spawnSync("git", [...identity, ...parameters], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date },
  });
  if (status !== 0) throw new Error(stderr);
}

function check(folder: string) {
  const { status, stdout } = spawnSync(process.execPath, [SCRIPT], { cwd: folder, encoding: "utf8" });
  return { status, told: stdout };
}
