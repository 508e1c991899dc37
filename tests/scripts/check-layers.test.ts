/** The rule over folders, on small trees: folders that import each other are told. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";

const SCRIPT = fileURLToPath(new URL("../../scripts/check-layers.mjs", import.meta.url));

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

test("folders that import each other, types included, fail the check", () => {
  const files = {
    "src/a/one.ts": 'import type { Two } from "../b/two.js";\nexport type One = Two;\n',
    "src/b/two.ts": 'export type Two = string;\nexport type { Four } from "./deep/four.js";\n',
    "src/b/deep/four.ts": 'export { three as Four } from "../../a/three.js";\n',
    "src/a/three.ts": "export const three = 3;\n",
  };
  expect(check(files)).toEqual({
    status: 1,
    told: ["these folders import each other: src/a and src/b"],
  });
});

test("a folder and one inside it may, and tests may import what they like", () => {
  const files = {
    "src/a/one.ts": 'export { two } from "./inner/two.js";\nexport const base = 1;\n',
    "src/a/inner/two.ts": 'import { base } from "../base.js";\nexport const two = base;\n',
    "src/a/base.ts": "export const base = 1;\n",
    "src/b/three.ts": 'export { two } from "../a/inner/two.js";\n',
    "src/a/one.test.ts": 'import "../b/three.js";\n',
  };
  expect(check(files)).toEqual({ status: 0, told: [] });
});

function check(files: Record<string, string>) {
  const root = mkdtempSync(join(tmpdir(), "findling-layers-"));
  folders.push(root);
  const all: Record<string, string> = {
    ...files,
    ".dependency-cruiser.cjs":
      'module.exports = { forbidden: [], options: { tsPreCompilationDeps: true, tsConfig: { fileName: "tsconfig.json" } } };',
  };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  cpSync(fileURLToPath(new URL("../../tsconfig.json", import.meta.url)), join(root, "tsconfig.json"));
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT], { cwd: root, encoding: "utf8" });
  expect(stderr).toBe("");
  return {
    status,
    told: stdout
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line.includes("each other")),
  };
}
