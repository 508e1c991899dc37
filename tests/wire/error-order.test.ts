// Contract 1.6: which error wins where several apply. Each test breaks two neighbouring rules at once.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectError } from "./expect-error.js";
import { ADMIN, READ, WireServer } from "./wire-server.js";

let server: WireServer;
let updateKey = "";
beforeAll(async () => {
  server = await WireServer.start({ bodyLimitMb: 0.01 });
  await server.createIndex("books");
  updateKey = (await server.post("/auth/key", { permissions: 4, allowed_indexes: ["*"] })).json.data.key;
});
afterAll(() => server.stopAndRemove());

describe("order of checks", () => {
  test("404 of the route before the key and the body", async () => {
    expectError(await server.send("POST", "/nothing/here", { body: "{" }), 404, "not_found");
    expectError(await server.send("PROPFIND", "/nothing/here"), 404, "not_found");
  });

  test("405 with Allow before the key and the body", async () => {
    for (const [method, path, allow] of [
      ["POST", "/index/books", "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"],
      ["PATCH", "/auth/key", "GET, HEAD, POST, DELETE, OPTIONS"],
      ["GET", "/index/books/search", "POST, OPTIONS"],
      ["PROPFIND", "/index/books", "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"],
      ["DELETE", "/healthcheck", "GET, HEAD, OPTIONS"],
    ] as const) {
      const answer = await server.send(method, path, { body: "{" });
      expectError(answer, 405, "method_not_allowed");
      expect(answer.headers.allow).toBe(allow);
    }
  });

  test("401 before 403, size, type and JSON", async () => {
    for (const body of ["{", "x".repeat(20_000)]) {
      const headers = { "content-type": "a/b" };
      expectError(await server.send("POST", "/auth/key", { body, headers }), 401, "missing_key");
      expectError(
        await server.send("POST", "/auth/key", { key: READ, body, headers }),
        403,
        "insufficient_permissions",
      );
    }
  });

  test("413, 415 and 400 for JSON before existence", async () => {
    const send = (body: string, type: string) =>
      server.send("POST", "/index/none/search", { key: ADMIN, body, headers: { "content-type": type } });
    expectError(await send(`"${"x".repeat(20_000)}"`, "application/json"), 413, "payload_too_large");
    expectError(await send("{}", "text/plain"), 415, "unsupported_media_type");
    expectError(await send("{", "application/json"), 400, "invalid_json");
  });

  test("JSON before the rule on ai_enabled, that rule before existence", async () => {
    expectError(
      await server.send("PATCH", "/index/none", { key: updateKey, body: '{"ai_enabled":' }),
      400,
      "invalid_json",
    );
    expectError(
      await server.patch("/index/none", { ai_enabled: true }, updateKey),
      403,
      "insufficient_permissions",
    );
  });

  test("the rule on ai_enabled before validation", async () => {
    expectError(await server.patch("/index/books", { ai_enabled: true, limit: [] }, updateKey), 403);
    expectError(await server.put("/index/books", { index: { ai_enabled: 7, fields: 7 } }, updateKey), 403);
  });

  test("existence before validation", async () => {
    expectError(await server.post("/index/none/search", { query: 7 }), 404, "index_not_found");
    expectError(await server.post("/index/none/search"), 404, "index_not_found");
    expectError(await server.post("/index/none/documents", []), 404, "index_not_found");
    expectError(await server.delete("/index/none/documents", {}), 404, "index_not_found");
    expectError(await server.delete("/index/none/documents/query", 7), 404, "index_not_found");
    expectError(await server.patch("/index/none", { name: [] }), 404, "index_not_found");
    expectError(await server.put("/index/none", { index: 7 }), 404, "index_not_found");
    expectError(await server.post("/auth/key/none", { permissions: "x" }), 404, "key_not_found");
  });

  test("validation is 400 with a message that says what is wrong", async () => {
    expectError(await server.post("/index/books/search", { query: 7 }), 400, "invalid_request");
    expectError(await server.post("/auth/key", { permissions: 128 }), 400, "invalid_request");
  });
});
