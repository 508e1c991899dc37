// Properties: every request that the manual shows is answered as shown. One server holds the sample for all pages;
// what a page makes besides is gone before the next one. docs/README.md says what the fences mean.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type WireAnswer, WireServer } from "../wire/wire-server.js";
import { type Block, manualPages, readPage } from "./manual-pages.js";
import { differences } from "./shown-answer.js";

const SAMPLE = new URL("../../demo/", import.meta.url);

let server: WireServer;
let backups: string;
beforeAll(async () => {
  backups = mkdtempSync(join(tmpdir(), "findling-manual-"));
  server = await WireServer.start({ backupUrl: pathToFileURL(backups).href });
  const schema = JSON.parse(readFileSync(new URL("packages.schema.json", SAMPLE), "utf8")) as object;
  const lines = gunzipSync(readFileSync(new URL("packages.jsonl.gz", SAMPLE))).toString("utf8");
  const documents = lines.trimEnd().split("\n");
  await succeed("POST", "/index", { index: schema });
  await succeed("POST", "/index/packages/documents", `[${documents.join(",")}]`);
  await succeed("POST", "/index/packages/commit");
});
afterAll(async () => {
  await server.stopAndRemove();
  rmSync(backups, { recursive: true, force: true });
});

afterEach(async () => {
  const federations = (await server.get("/federation")).json.data as readonly { name: string }[];
  for (const { name } of federations) await succeed("DELETE", `/federation/${name}`);
  const { index_names: names } = (await server.get("/index")).json.data as { index_names: string[] };
  for (const name of names) if (name !== "packages") await succeed("DELETE", `/index/${name}`);
  await succeed("DELETE", "/auth/key");
});

async function send(method: string, path: string, body?: unknown): Promise<WireAnswer> {
  return server.send(method, path, {
    key: "admin-key-of-the-tests",
    ...(body !== undefined && { body }),
    headers: { "content-type": "application/json" },
  });
}

async function succeed(method: string, path: string, body?: unknown): Promise<void> {
  const answer = await send(method, path, body);
  expect([method, path, answer.status, answer.text]).toEqual([method, path, 200, answer.text]);
}

/** The request of a `json search INDEX`, `json search federation/NAME` or `http` block; null of any other. */
function requestOf({ info, text }: Block): { method: string; path: string; body: string | undefined } | null {
  const [, target] = /^json search (\S+)$/.exec(info) ?? [];
  if (target !== undefined) {
    const path = target.startsWith("federation/") ? `/${target}/search` : `/index/${target}/search`;
    return { method: "POST", path, body: text };
  }
  if (info !== "http") return null;
  const [head = "", ...rest] = text.split("\n");
  const [method = "", path = ""] = head.split(" ");
  const body = rest.join("\n").trim();
  return { method, path, body: body === "" ? undefined : body };
}

/** Runs a `query INDEX` block: each line a query string of exact mode and how many documents it finds, or its error. */
async function countsOf({ info, text }: Block): Promise<string> {
  const index = info.slice("query ".length);
  const lines = text.trimEnd().split("\n");
  const found = lines.map(async (line) => {
    const end = line.lastIndexOf("→");
    const ctx = line.slice(0, end).trimEnd();
    const body = { query: { exact: { ctx } }, limit: 0, facets: false };
    const { status, json } = await send("POST", `/index/${index}/search`, body);
    return `${line.slice(0, end)}→ ${status === 200 ? json.data.count : json.message}`;
  });
  return `${(await Promise.all(found)).join("\n")}\n`;
}

describe.each(manualPages())("$path", ({ path, blocks }) => {
  test("requests are answered as shown", async () => {
    let last: WireAnswer | null = null;
    for (const block of blocks) {
      const place = `${path}:${block.line}`;
      const request = requestOf(block);
      if (request !== null) {
        last = await send(request.method, request.path, request.body);
        const isRefusalShown = blocks[blocks.indexOf(block) + 1]?.info === "json refused";
        expect([place, last.status < 300, last.text]).toEqual([place, !isRefusalShown, last.text]);
      } else if (block.info === "json answer" || block.info === "json refused") {
        const shown: unknown = JSON.parse(block.text);
        expect([place, ...differences(shown, last?.json)]).toEqual([place]);
      } else if (block.info.startsWith("query ")) {
        expect(`${place}\n${await countsOf(block)}`).toBe(`${place}\n${block.text}`);
      }
    }
  });
});

test("the README's first search finds what it shows, in that order and with those scores", async () => {
  const { text } = readPage("README.md");
  const shown = [...text.matchAll(/^(\d+\.\d\d) {2,}(\S+) {2,}(\S.*)$/gm)].map(([, ...row]) => row);
  expect(shown.length).toBeGreaterThan(2);
  const body = { query: { fuzzy: { ctx: "pasword manger" } }, limit: shown.length };
  const { hits } = (await send("POST", "/index/packages/search", body)).json.data as {
    hits: readonly { score: number; doc: { name: string; title: string } }[];
  };
  expect(hits.map(({ score, doc }) => [score.toFixed(2), doc.name, doc.title])).toEqual(shown);
});

test("the README's last search of the first minute is answered as shown", async () => {
  const { blocks } = readPage("README.md");
  const at = blocks.findIndex(({ info }) => info === "json");
  const [, body] = /search '([^']*)'\s*$/.exec(blocks[at - 1]!.text)!;
  const answer = await send("POST", "/index/packages/search", body);
  expect(differences(JSON.parse(blocks[at]!.text), answer.json)).toEqual([]);
});

test("there are examples, and no fence is misspelt", () => {
  const infos = manualPages().flatMap(({ blocks }) => blocks.map(({ info }) => info));
  expect(infos.filter((info) => /^(json search|http|query)/.test(info)).length).toBeGreaterThan(10);
  const known =
    /^(|console|sh|js|ts|html|yaml|json|csv|ebnf|ini|nginx|text|http|json answer|json refused|json search \S+|query \S+)$/;
  expect(infos.filter((info) => !known.test(info))).toEqual([]);
});

describe("what is shown of an answer", () => {
  test.each([
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: ["x", "…"] }, { a: ["x", "y"] }],
    [{ a: 1.25 }, { a: 1.2549 }],
    ["be…", "beginning"],
  ])("%j is shown of %j", (shown, answer) => {
    expect(differences(shown, answer)).toEqual([]);
  });

  test.each([
    [{ a: 1 }, { b: 1 }],
    [{ a: ["x"] }, { a: ["x", "y"] }],
    [{ a: 1.25 }, { a: 1.26 }],
    [[], {}],
    [null, undefined],
    ["be…", "the end"],
  ])("%j is not shown of %j", (shown, answer) => {
    expect(differences(shown, answer)).toHaveLength(1);
  });
});
