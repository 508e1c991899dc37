/** What `npm pack` puts into the server's package: all that its doors lead to, and nothing else. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installed, type Packed, PROJECT, pack, run } from "./packed.js";

const FILES_MAX = 1_500;
const IMPORT = /\b(?:from|import)\s*\(?\s*"([.]{1,2}\/[^"]+)"/g;
const LINK = /\]\(([^)#\s]+)(?:#[^)]*)?\)/g;

let packed: Packed;
beforeAll(() => {
  packed = pack();
});
afterAll(() => packed.remove());

test("the doors are where they were, and there are no more files than a user needs", () => {
  expect(packed.files).toEqual(
    expect.arrayContaining([
      "bin/findling.js",
      "dist/server.js",
      "dist/server.d.ts",
      "dist/engine/index.js",
      "dist/engine/index.d.ts",
      "dist/engine/kernels/kernels.wasm",
      "dist/engine/kernels/building.wasm",
      "dist/client/index.js",
      "dist/client/index.d.ts",
      "dist/console/index.html",
      "dist/manual/index.html",
      "dist/manual/sections.json",
      "demo/packages.jsonl.gz",
      "docs/README.md",
      "LICENSE",
      "NOTICE",
      "README.md",
    ]),
  );
  expect(packed.files.length).toBeLessThanOrEqual(FILES_MAX);
});

test("no source maps, tests, sources or marks of the build", () => {
  expect(
    packed.files.filter((path) => /[.]map$|[.]test[.]|^(?:src|tests|scripts)\/|digest$/.test(path)),
  ).toEqual([]);
  expect(packed.files.filter((path) => /(?:^|\/)[.]/.test(path))).toEqual([]);
  const codes = packed.files.filter((path) => /^dist\/.*[.]js$/.test(path));
  expect(codes.filter((path) => textOf(path).includes("\n//# sourceMappingURL="))).toEqual([]);
});

test("whatever a module or a declaration imports is there", () => {
  const sources = packed.files.filter((path) =>
    /^(?:bin|dist(?!\/(?:console|manual)))\/?.*[.](?:js|d[.]ts)$/.test(path),
  );
  const missing = sources.flatMap((path) =>
    [...textOf(path).matchAll(IMPORT)]
      .map(([, source]) => join(dirname(path), source!))
      .map((target) => (path.endsWith(".d.ts") ? target.replace(/[.]js$/, ".d.ts") : target))
      .filter((target) => !existsSync(join(packed.folder, target)))
      .map((target) => `${path} imports ${target}`),
  );
  expect(missing).toEqual([]);
  expect(sources.length).toBeGreaterThan(500);
});

test("links of pages lead to pages that are there", () => {
  const pages = packed.files.filter((path) => path.endsWith(".md"));
  const dead = pages.flatMap((path) =>
    [
      ...textOf(path)
        .replaceAll(/^```[\s\S]*?^```/gm, "")
        .replaceAll(/`[^`\n]*`/g, "")
        .matchAll(LINK),
    ]
      .map(([, target]) => target!)
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => !existsSync(join(packed.folder, dirname(path), target)))
      .map((target) => `${path} links to ${target}`),
  );
  expect(dead).toEqual([]);
});

test("licences of everything that is built into it are in it", () => {
  const licences = textOf("dist/third-party-licences.txt");
  for (const name of ["react", "react-dom", "@base-ui/react", "uplot", "@codemirror/view", "assemblyscript"])
    expect(licences).toMatch(new RegExp(`^${name} \\d+[.]\\d+[.]\\d+ \\(`, "m"));
  const sections = licences.split(`\n${"-".repeat(78)}\n\n`);
  for (const section of sections) expect(section).toMatch(/copyright|Unlicense/i);
  expect(textOf("NOTICE")).toContain("dist/third-party-licences.txt");
});

test("a TypeScript program finds the types of all three doors", () => {
  installed(packed.folder, ["typebox", "@types/node", "undici-types"]);
  writeFileSync(
    join(packed.folder, "program.ts"),
    `import { loadConfiguration, startServer } from "findling";
     import { FindlingClient } from "findling/client";
     import { defineSchema, FileDirectory, Index } from "findling/engine";
     const server = await startServer(loadConfiguration({ env: {} }));
     const { hits } = await new FindlingClient({ url: server.url }).searchIndex("films", { query: "war" });
     const folder = await FileDirectory.open("films", { create: true });
     const films = await Index.create(folder, defineSchema({ title: "text" }));
     export const count: number = hits.length + films.search({ query: { kind: "match_all" } }).hits.length;`,
  );
  const options = ["--noEmit", "--strict", "--target", "es2023", "--module", "nodenext", "--types", "node"];
  run(
    packed.folder,
    process.execPath,
    join(PROJECT, "node_modules/typescript/bin/tsc"),
    ...options,
    "program.ts",
  );
});

function textOf(path: string): string {
  return readFileSync(join(packed.folder, path), "utf8");
}
