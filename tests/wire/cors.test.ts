// Contract 1.3: CORS on every answer.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ADMIN, type WireAnswer, WireServer } from "./wire-server.js";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
});
afterAll(() => server.stopAndRemove());

describe("preflight", () => {
  test.each(["/index/books/search", "/healthcheck", "/nothing/here", "//", "/index/%zz".slice(0, 6)])(
    "OPTIONS %s is 204 without a key and without a body",
    async (path) => {
      const answer = await server.send("OPTIONS", path, {
        headers: { origin: "https://shop.example", "access-control-request-method": "POST" },
      });
      expect(answer.status).toBe(204);
      expect(answer.text).toBe("");
      expectCorsHeaders(answer);
    },
  );

  test("OPTIONS with a body that is not JSON is still 204", async () => {
    const answer = await server.send("OPTIONS", "/index/books/search", {
      body: "{",
      headers: { "content-type": "text/plain" },
    });
    expect(answer.status).toBe(204);
  });
});

describe("every answer carries the headers", () => {
  test.each<[string, () => Promise<WireAnswer>, number]>([
    ["a success", () => server.get("/index"), 200],
    ["an unknown route", () => server.get("/nothing"), 404],
    ["a wrong method", () => server.post("/healthcheck"), 405],
    ["a missing key", () => server.send("GET", "/index"), 401],
    [
      "a missing permission",
      () =>
        server
          .get("/index", "read-key-of-the-tests")
          .then(() => server.get("/auth/key", "read-key-of-the-tests")),
      403,
    ],
    ["a missing index", () => server.get("/index/none"), 404],
    ["malformed JSON", () => server.send("POST", "/auth/key", { key: ADMIN, body: "{" }), 400],
    [
      "a wrong content type",
      () => server.send("POST", "/auth/key", { key: ADMIN, body: "{}", headers: { "content-type": "a/b" } }),
      415,
    ],
    [
      "a body too large",
      () => server.send("POST", "/auth/key", { key: ADMIN, body: "x".repeat(3_000_000) }),
      413,
    ],
    ["a path that can't be decoded", () => server.get("/index/%zz"), 400],
    ["the documentation", () => server.send("GET", "/docs/api"), 200],
    ["a HEAD request", () => server.send("HEAD", "/index", { key: ADMIN }), 200],
  ])("%s", async (_case, send, status) => {
    const answer = await send();
    expect(answer.status).toBe(status);
    expectCorsHeaders(answer);
  });
});

test("with a list of origins, only those are allowed", async () => {
  const choosy = await WireServer.start({ corsOrigins: ["https://shop.example"] });
  try {
    const listed = await choosy.send("GET", "/healthcheck", { headers: { origin: "https://shop.example" } });
    expect(listed.headers["access-control-allow-origin"]).toBe("https://shop.example");
    expect(listed.headers["vary"]).toBe("Origin");
    const other = await choosy.send("GET", "/nothing", { headers: { origin: "https://evil.example" } });
    expect(other.headers["access-control-allow-origin"]).toBeUndefined();
  } finally {
    await choosy.stopAndRemove();
  }
});

function expectCorsHeaders(answer: WireAnswer): void {
  expect(answer.headers).toMatchObject({
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS",
    "access-control-allow-headers":
      "Authorization, Content-Type, Accept, X-Sc-User-Id, X-Sc-Session-Id, X-Sc-User-Type",
    "access-control-max-age": "86400",
  });
  expect(answer.headers).not.toHaveProperty("access-control-allow-credentials");
}
