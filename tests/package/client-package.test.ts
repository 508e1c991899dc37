/** `@findling/client` as it is published: one small file without packages, with types that need none. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as source from "../../src/client/index.js";
import { type Packed, PROJECT, pack, run } from "./packed.js";

/** Reading and writing long integers exactly takes 1.1 KB of it. */
const GZIPPED_BYTES_MAX = 5 * 1024;

let packed: Packed;
beforeAll(() => {
  packed = pack("packages/client");
});
afterAll(() => packed.remove());

test("it is two files, without dependencies, of the server's version", () => {
  expect(packed.files).toEqual(["LICENSE", "README.md", "dist/index.d.ts", "dist/index.js", "package.json"]);
  const manifest = JSON.parse(textOf("package.json")) as Record<string, unknown>;
  const server = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8")) as Record<string, unknown>;
  expect(manifest).not.toHaveProperty("dependencies");
  expect(manifest["version"]).toBe(server["version"]);
  const code = textOf("dist/index.js");
  expect(code).not.toMatch(/\bfrom ?"|\bimport\(/);
  const size = gzipSync(code).length;
  expect(size).toBeLessThan(GZIPPED_BYTES_MAX);
  const promised = Number(/in (\d[.]\d) KB/.exec(String(manifest["description"]))?.[1]);
  expect([size <= promised * 1_000 + 50, size > promised * 900]).toEqual([true, true]);
});

test("it exports what findling/client does", async () => {
  const client = (await import(pathToFileURL(join(packed.folder, "dist/index.js")).href)) as object;
  expect(Object.keys(client).sort()).toEqual(Object.keys(source).sort());
});

test("its types need neither packages nor Node, and are those of findling/client", () => {
  expect(textOf("dist/index.d.ts")).not.toMatch(/\bfrom "|typebox|TSchema/);
  writeFileSync(
    join(packed.folder, "program.ts"),
    `import { FindlingClient, FindlingClientError, type SearchAnswer } from "@findling/client";
     const client = new FindlingClient({ url: "http://127.0.0.1:8000", key: "key" });
     export const answer: Promise<SearchAnswer<{ title: string }>> = client.searchIndex("films", { query: "war", limit: 3 });
     // @ts-expect-error a limit is a number
     void client.searchIndex("films", { query: "war", limit: "3" });
     answer.catch((error: unknown) => error instanceof FindlingClientError && error.code);`,
  );
  const options = [
    "--noEmit",
    "--strict",
    "--target",
    "es2023",
    "--module",
    "nodenext",
    "--typeRoots",
    "none",
  ];
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
