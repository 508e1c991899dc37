import type { TSchema } from "typebox";
import { Check, Errors } from "typebox/value";
import { describe, expect, test } from "vitest";
import { ROUTE_TABLE } from "./route-table.js";

describe("the route table", () => {
  test("has no two rows of the same name or of the same method and path", () => {
    const names = ROUTE_TABLE.map((route) => route.operationId);
    const places = ROUTE_TABLE.map((route) => `${route.method} ${route.path.replaceAll(/:[a-z_]+/g, ":")}`);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(places).size).toBe(places.length);
  });

  test("names the index in the path exactly where the scope is the index", () => {
    for (const { path, scope, operationId } of ROUTE_TABLE) {
      expect([operationId, path.includes(":index_name")]).toEqual([operationId, scope === "index"]);
    }
  });

  test("holds the key's scope against the federation wherever the path names one", () => {
    for (const { path, scope, operationId } of ROUTE_TABLE) {
      const isFederation = scope === "federation" || scope === "federation_indexes";
      expect([operationId, path.includes(":federation_name")]).toEqual([operationId, isFederation]);
    }
  });

  test("lets keys that are tied to a federation search it and list its keys, and nothing else", () => {
    const scoped = ROUTE_TABLE.filter((route) => route.scope === "federation");
    expect(scoped.map((route) => route.operationId)).toEqual(["searchFederation", "listKeysOfFederation"]);
  });

  test("asks every route for a key but health, signing in and the status of measuring", () => {
    const open = ROUTE_TABLE.filter((route) => route.access.kind !== "permission");
    expect(open.map((route) => [route.operationId, route.access.kind])).toEqual([
      ["checkHealth", "public"],
      ["checkLiveness", "public"],
      ["checkReadiness", "public"],
      ["getMeasureStatus", "public"],
      ["checkPermission", "any_key"],
      ["describeCaller", "any_key"],
      ["signInWithCode", "public"],
      ["callMcp", "any_key"],
    ]);
  });

  // Contract 1.4, as far as its endpoints exist.
  test("mirrors the members of exactly these answers", () => {
    const mirrored = ROUTE_TABLE.filter((route) => route.mirrored).map(
      (route) => `${route.method} ${route.path}`,
    );
    expect(mirrored).toEqual([
      "GET /index/:index_name/documents/:document_id",
      "GET /index/:index_name/documents/by-key/:key",
      "GET /index/:index_name/capabilities",
      "GET /index/:index_name/synonyms",
      "GET /federation/:federation_name",
      "GET /federation/:federation_name/stats",
      "GET /measure/status",
      "GET /measure/dashboard/summary",
      "GET /measure/dashboard/conversion",
      "GET /measure/dashboard/usage",
      "POST /auth/key",
      "GET /auth/key/:key",
      "POST /auth/key/:key",
    ]);
  });

  // Contract 2.3.
  test.each([
    ["POST /index/:index_name/search", 1],
    ["GET /index/:index_name/suggest", 1],
    ["POST /federation/:federation_name/search", 1],
    ["GET /federation", 32],
    ["POST /federation", 32],
    ["GET /federation/organization/:organization_id", 32],
    ["GET /federation/:federation_name", 32],
    ["GET /federation/:federation_name/stats", 32],
    ["PUT /federation/:federation_name", 32],
    ["DELETE /federation/:federation_name", 32],
    ["GET /index", 1],
    ["GET /index/stats", 1],
    ["GET /index/:index_name", 4],
    ["GET /index/:index_name/stats", 4],
    ["PATCH /index/:index_name", 4],
    ["PUT /index/:index_name", 4],
    ["DELETE /index/:index_name", 4],
    ["POST /index", 16],
    ["GET /index/:index_name/documents/:document_id", 2],
    ["POST /index/:index_name/commit", 2],
    ["POST /index/:index_name/rollback", 2],
    ["DELETE /index/:index_name/documents/query", 2],
    ["POST /measure/event", 2],
    ["POST /measure/batch", 2],
    ["GET /measure/dashboard/summary", 2],
    ["GET /measure/dashboard/conversion", 2],
    ["GET /measure/dashboard/usage", 2],
    ["GET /metrics", 32],
    ["GET /auth/key", 40],
    ["DELETE /auth/key", 40],
    ["GET /auth/index/:index_name", 40],
  ])("asks for the bits of contract 2.3: %s needs %i", (place, bits) => {
    const row = ROUTE_TABLE.find((route) => `${route.method} ${route.path}` === place);
    expect(row?.access).toMatchObject({ kind: "permission", bits });
  });

  test.each(
    ROUTE_TABLE.flatMap((route) => [
      [route.operationId, route.answer] as const,
      [route.operationId, route.body] as const,
    ]),
  )("%s: the examples fit their schemas", (_, schema) => {
    for (const [part, example] of examplesIn(schema))
      expect([example, Errors(part, example)]).toEqual([example, []]);
  });

  test("has an example for every body", () => {
    for (const { operationId, body } of ROUTE_TABLE) {
      if (body !== null) expect([operationId, examplesIn(body).length > 0]).toEqual([operationId, true]);
    }
  });

  test("documents schemas as JSON Schema that has nothing but JSON in it", () => {
    expect(JSON.parse(JSON.stringify(ROUTE_TABLE))).toEqual(ROUTE_TABLE);
    expect(Check(ROUTE_TABLE[0]?.answer ?? {}, "service is healthy")).toBe(true);
  });
});

/** Each schema, at any depth, with each of its examples. */
function examplesIn(schema: TSchema | null): [TSchema, unknown][] {
  if (schema === null) return [];
  const found: [TSchema, unknown][] = [];
  const visit = (part: unknown): void => {
    if (typeof part !== "object" || part === null) return;
    const { examples, ...rest } = part as { readonly examples?: readonly unknown[] };
    for (const example of examples ?? []) found.push([part as TSchema, example]);
    for (const member of Object.values(rest)) visit(member);
  };
  visit(schema);
  return found;
}
