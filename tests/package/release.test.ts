/** `npm run release:version` in a clone: both packages, the API's description and the changelog have the next version. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PROJECT, run } from "./packed.js";

const VERSIONED = ["package.json", "packages/client/package.json", "package-lock.json"];

let clone: string;
beforeAll(() => {
  clone = mkdtempSync(join(tmpdir(), "findling-release-"));
  run(PROJECT, "git", "clone", "--quiet", "--shared", PROJECT, clone);
  // The script as it is now, whether it is committed or not.
  writeFileSync(join(clone, "scripts/changesets.mjs"), readFileSync(join(PROJECT, "scripts/changesets.mjs")));
});
afterAll(() => rmSync(clone, { recursive: true, force: true }));

function textOf(path: string): string {
  return readFileSync(join(clone, path), "utf8");
}

function versionIn(path: string): string {
  return (JSON.parse(textOf(path)) as { version: string }).version;
}

test("without a changeset there is nothing to release, and nothing changes", () => {
  const before = VERSIONED.map(textOf);
  expect(() => run(clone, process.execPath, "scripts/changesets.mjs", "version")).toThrow(
    "no changeset says that there is anything to release",
  );
  expect(VERSIONED.map(textOf)).toEqual(before);
});

test("a changeset of one package gives both their next version", () => {
  const before = versionIn("package.json");
  const [major, minor] = before.split(".").map(Number);
  const after = `${major}.${minor! + 1}.0`;
  writeFileSync(
    join(clone, ".changeset/hungry-files-eat.md"),
    '---\n"findling": minor\n---\n\nFiles are eaten.\n',
  );
  const said = run(clone, process.execPath, "scripts/changesets.mjs", "version");
  expect(said).toContain(`findling and @findling/client are ${after} now`);
  expect(VERSIONED.map(versionIn)).toEqual([after, after, after]);
  const { info } = JSON.parse(textOf("docs/openapi.json")) as { info: { version: string } };
  expect(info.version).toBe(after);
  expect(textOf("CHANGELOG.md")).toMatch(
    new RegExp(`\n## Unreleased\n\n## ${after.replaceAll(".", "[.]")}, \\d{4}-\\d\\d-\\d\\d\n`),
  );
  const left = run(clone, "git", "status", "--porcelain");
  expect(left).not.toContain("hungry-files-eat");
});
