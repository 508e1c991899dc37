// The manual at /docs: every page and all that it leads to is there, compressed, under a strict policy, without a key and
// without the console; and what people look for is found.
import { existsSync } from "node:fs";
import { get as httpGet } from "node:http";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { manualPages } from "../docs/manual-pages.js";
import { expectError } from "./expect-error.js";
import { WireServer } from "./wire-server.js";

/** Built by `npm run build`, which `npm test` does first. */
const isBuilt = existsSync(new URL("../../dist/manual/index.html", import.meta.url));

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start({ console: false });
});
afterAll(() => server.stopAndRemove());

const get = (path: string, headers: Record<string, string> = {}) => server.send("GET", path, { headers });

/** As they come, unpacked by nobody. */
function bytesOf(path: string, encoding: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const address = `${server.running.url}${path}`;
    const asked = httpGet(address, { headers: { "accept-encoding": encoding } }, (answer) => {
      const pieces: Buffer[] = [];
      answer
        .on("data", (piece: Buffer) => pieces.push(piece))
        .on("end", () => resolve(Buffer.concat(pieces)));
    });
    asked.on("error", reject);
  });
}

describe.runIf(isBuilt)("built", () => {
  test("links lead to pages and to headings that are there, and nothing is asked of elsewhere", async () => {
    const seen = new Map<string, string>();
    const waiting = ["/docs"];
    while (waiting.length > 0) {
      const path = waiting.pop()!;
      if (seen.has(path)) continue;
      const answer = await get(path);
      expect([path, answer.status]).toEqual([path, 200]);
      seen.set(path, answer.text);
      if (answer.headers["content-type"] !== "text/html; charset=utf-8" || path === "/docs/api") continue;
      expect(answer.text).not.toMatch(/<script(?![^>]*src=)|<style|\sstyle=|\son[a-z]+=/);
      const needed = [...answer.text.matchAll(/\s(?:src|action)="([^"]*)"/g)].map(([, target]) => target!);
      expect(needed.filter((target) => !target.startsWith("/docs/"))).toEqual([]);
      for (const [, target] of answer.text.matchAll(/\s(?:href|src)="([^"]*)"/g)) {
        const [file = ""] = target!.split("#");
        if (file.startsWith("/")) waiting.push(file);
      }
    }
    for (const [path, text] of seen) {
      for (const [, target] of text.matchAll(/\shref="([^"]*#[^"]+)"/g)) {
        const [file, anchor] = target!.split("#");
        const page = seen.get(file === "" ? path : file!);
        if (page !== undefined)
          expect([path, target, page.includes(`id="${anchor}"`)]).toEqual([path, target, true]);
      }
    }
    const pages = manualPages().map(({ path }) => path.slice("docs/".length, -".md".length));
    const addresses = new Set(["/docs", "/docs/requests", ...seen.keys()]);
    const missing = pages.filter(
      (name) => name !== "README" && name !== "api" && !addresses.has(`/docs/${name}`),
    );
    expect(missing).toEqual([]);
  });

  test("a page is whole, compressed as the browser takes it, and not sent twice", async () => {
    const plain = await get("/docs/facets");
    expect(plain.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(plain.text).toContain("<h1");
    const policy = plain.headers["content-security-policy"]!;
    expect(policy).toContain("default-src 'none'");
    // The console's frame is the only one.
    expect(policy).toContain("frame-ancestors 'self'");
    expect(policy).not.toContain("unsafe");
    const packed = await get("/docs/facets", { "accept-encoding": "gzip, deflate, br, zstd" });
    expect(packed.headers["content-encoding"]).toBe("gzip");
    const bytes = await bytesOf("/docs/facets", "gzip");
    expect(Number(packed.headers["content-length"])).toBe(bytes.length);
    expect(bytes.length).toBeLessThan(plain.text.length / 2);
    expect(gunzipSync(bytes).toString()).toBe(plain.text);
    const again = await get("/docs/facets", { "if-none-match": plain.headers.etag! });
    expect([again.status, again.text]).toEqual([304, ""]);
    const head = await server.send("HEAD", "/docs/facets");
    expect([head.status, Number(head.headers["content-length"])]).toEqual([
      200,
      Buffer.byteLength(plain.text),
    ]);
  });

  test.each([
    "/docs/no-such-page",
    "/docs/sections.json",
    "/docs/search-page.html",
    "/docs/.built",
    "/docs/..%2fserver.js",
  ])("%s is no page", async (path) => expectError(await get(path), 404, "not_found"));

  test.each([
    ["what must be escaped", "/docs/query-language#what-must-be-escaped"],
    ["stopwrds", "/docs/languages#stopwords"],
    ["storage_locked", "/docs/troubleshooting#storage_locked"],
  ])("'%s' is found", async (text, address) => {
    const { status, text: page } = await get(`/docs/search?${new URLSearchParams({ q: text })}`);
    expect(status).toBe(200);
    const found = [...page.matchAll(/<li><a href="([^"]+)">[^<]*<\/a><p>/g)].map(([, target]) => target);
    expect(found.slice(0, 3)).toContain(address);
    expect(page).toContain("<mark>");
  });

  test("what was searched for is text in the page", async () => {
    const { text } = await get(
      `/docs/search?q=${encodeURIComponent('"><script>alert(1)</script>$& {{results}}')}`,
    );
    expect(text).not.toContain("<script>alert");
    expect(text).toContain("&quot;&gt;&lt;script&gt;");
    expect((await get("/docs/search")).text).toContain("Search the manual</h1>");
    expect((await get(`/docs/search?q=${"long+".repeat(2_000)}`)).status).toBe(200);
    expect((await get("/docs/search?q=a&q=b")).status).toBe(200);
  });
});

test("the root sends browsers to the manual where there is no console", async () => {
  const answer = await get("/", { accept: "text/html" });
  expect([answer.status, answer.headers.location]).toEqual([302, "/docs"]);
  expectError(await get("/"), 404, "not_found");
});

test("no index of the manual is in the catalog", async () => {
  await get("/docs/search?q=facets");
  expect((await server.get("/index")).json.data.index_names).toEqual([]);
});
