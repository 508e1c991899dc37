// How a browser gets the console: compressed, with its length and a strict policy; and not where it is off.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BuiltFiles } from "../../src/http/built-files/built-files.js";
import { expectError } from "./expect-error.js";
import { WireServer } from "./wire-server.js";

/** Built by `npm run build`, which `npm test` does first. */
const isBuilt = existsSync(new URL("../../dist/console/index.html", import.meta.url));

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
});
afterAll(() => server.stopAndRemove());

const get = (path: string, headers: Record<string, string> = {}) => server.send("GET", path, { headers });

test("the root sends browsers to the console, and nobody else", async () => {
  const answer = await get("/", { accept: "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8" });
  expect(answer.status).toBe(302);
  expect(answer.headers.location).toBe("/console");
  expectError(await get("/", { accept: "*/*" }), 404, "not_found");
  expectError(await get("/"), 404, "not_found");
  expectError(await server.send("POST", "/console"), 405, "method_not_allowed");
});

test("off, there is no console", async () => {
  const off = await WireServer.start({ console: false });
  try {
    const start = await off.send("GET", "/", { headers: { accept: "text/html" } });
    expect([start.status, start.headers.location]).toEqual([302, "/docs"]);
    for (const path of ["/console", "/console/playground"]) {
      expectError(await off.send("GET", path, { headers: { accept: "text/html" } }), 404, "not_found");
    }
    expect(off.running.consoleUrl).toBeNull();
    expect(off.running.signInLink()).toBeNull();
  } finally {
    await off.stopAndRemove();
  }
});

describe.runIf(isBuilt)("built", () => {
  test.each([
    "/console",
    "/console/",
    "/console/playground?index=books",
    "/console/index/books",
    "/console/%2e%2e/x",
  ])("%s gives the page, under a policy that lets nothing else in", async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(answer.text).toContain('<div id="root">');
    expect(answer.text).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=/);
    const policy = answer.headers["content-security-policy"]!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(answer.headers["cache-control"]).toBe("no-cache");
  });

  test("files come compressed as the browser takes them, with their length", async () => {
    const page = await get("/console");
    const [, path] = /src="(\/console\/assets\/[^"]+\.js)"/.exec(page.text)!;
    const plain = await get(path!);
    expect(plain.headers["content-encoding"]).toBeUndefined();
    const files = new BuiltFiles(fileURLToPath(new URL("../../dist/console", import.meta.url)));
    for (const [accepted, encoding, unpack] of [
      ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
      ["gzip", "gzip", gunzipSync],
      ["br;q=0, gzip", "gzip", gunzipSync],
    ] as const) {
      const answer = await get(path!, { "accept-encoding": accepted });
      expect(answer.headers["content-encoding"]).toBe(encoding);
      const { bytes } = files.find(path!.replace("/console/", ""), accepted)!;
      expect(Number(answer.headers["content-length"])).toBe(bytes.length);
      expect(unpack(bytes).toString()).toBe(plain.text);
      expect(answer.headers["cache-control"]).toContain("immutable");
      expect(answer.headers.vary).toContain("Accept-Encoding");
    }
  });

  test("what isn't there isn't the page where a script was asked for, and nothing outside is given", async () => {
    expectError(await get("/console/assets/gone-12345678.js"), 404, "not_found");
    for (const path of [
      "/console/..%2f..%2fpackage.json",
      "/console/assets/..%2F..%2F.compiled",
      "/console/.built",
    ]) {
      const answer = await get(path);
      expect(answer.text).not.toContain("devDependencies");
      if (answer.status === 200) expect(answer.headers["content-type"]).toContain("text/html");
    }
  });

  test("HEAD has the length and no body", async () => {
    const head = await server.send("HEAD", "/console");
    expect(head.status).toBe(200);
    expect(Number(head.headers["content-length"])).toBeGreaterThan(100);
  });
});
