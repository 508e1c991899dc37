/** `@findling/client` as it is published: small, without packages, with types that need none. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as exactJson from "../../src/client/exact-json.js";
import * as source from "../../src/client/index.js";
import { type Packed, PROJECT, pack, run } from "./packed.js";

/** For what every page loads. */
const GZIPPED_BYTES_MAX = 3_072;
/** Loaded once they are needed. */
const LATER = ["exact-json", "summary-events"];

let packed: Packed;
beforeAll(() => {
  packed = pack("packages/client");
});
afterAll(() => packed.remove());

test("it is small, without dependencies, of the server's version", () => {
  const files = ["exact-json.d.ts", "exact-json.js", "index.d.ts", "index.js", "summary-events.js"];
  const dist = files.map((name) => `dist/${name}`);
  expect(packed.files).toEqual(["LICENSE", "README.md", ...dist, "package.json"]);
  const manifest = JSON.parse(textOf("package.json")) as Record<string, unknown>;
  const server = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8")) as Record<string, unknown>;
  expect(manifest).not.toHaveProperty("dependencies");
  expect(manifest["version"]).toBe(server["version"]);
  const code = textOf("dist/index.js");
  expect(code).not.toMatch(/\bfrom ?["'`]/);
  const imported = [...code.matchAll(/\bimport\([`"']([^)]*)[`"']\)/g)].map(([, path]) => path);
  expect(imported.toSorted()).toEqual(LATER.map((name) => `./${name}.js`));
  for (const name of LATER) expect(textOf(`dist/${name}.js`)).not.toMatch(/\bimport\b/);
  const size = gzipSync(code).length;
  expect(size).toBeLessThanOrEqual(GZIPPED_BYTES_MAX);
  const promised = Number(/in (\d[.]\d) KB/.exec(String(manifest["description"]))?.[1]);
  expect([size <= promised * 1_000 + 50, size > promised * 900]).toEqual([true, true]);
});

test("it exports what findling/client does", async () => {
  expect(Object.keys(await imported("index")).sort()).toEqual(Object.keys(source).sort());
  expect(Object.keys(await imported("exact-json")).sort()).toEqual(Object.keys(exactJson).sort());
});

test("what it loads later works", async () => {
  const { FindlingClient } = (await imported("index")) as typeof source;
  const sent: unknown[] = [];
  const client = new FindlingClient({
    url: "http://127.0.0.1:1",
    exactIntegers: true,
    fetch: (url, init) => {
      sent.push(init?.body);
      const isSummary = String(url).endsWith("/summary");
      const answer = isSummary ? "event: done\ndata: {}\n\n" : '{"data":{"count":9007199254740993}}';
      return Promise.resolve(new Response(answer));
    },
  });
  const query = { exact: { field: "n", value: 9007199254740993n } };
  expect(await client.searchIndex("films", { query } as never)).toEqual({ count: 9007199254740993n });
  expect(sent).toEqual(['{"query":{"exact":{"field":"n","value":9007199254740993}}}']);
  const events: unknown[] = [];
  for await (const event of await client.summarizeSearch("films", { query: "war" })) events.push(event);
  expect(events).toEqual([{ name: "done", data: {} }]);
});

test("its types need neither packages nor Node, and are those of findling/client", () => {
  for (const name of ["index", "exact-json"])
    expect(textOf(`dist/${name}.d.ts`)).not.toMatch(/\bfrom "|typebox|TSchema/);
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

function imported(name: string): Promise<object> {
  return import(pathToFileURL(join(packed.folder, `dist/${name}.js`)).href) as Promise<object>;
}

function textOf(path: string): string {
  return readFileSync(join(packed.folder, path), "utf8");
}
