// The OpenAPI document and the page that shows it: generated from the route table, complete, self-contained.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROUTE_TABLE } from "../../src/contract/route-table.js";
import { expectError } from "./expect-error.js";
import { type ParsedJson, WireServer } from "./wire-server.js";

let server: WireServer;
let openApi: ParsedJson;
beforeAll(async () => {
  server = await WireServer.start();
  openApi = (await server.send("GET", "/openapi.json")).json;
});
afterAll(() => server.stopAndRemove());

describe("/openapi.json", () => {
  // Run with `-u` to write the file anew after a deliberate change of the interface.
  test("is the committed docs/openapi.json", async () => {
    const { text } = await server.send("GET", "/openapi.json");
    await expect(text).toMatchFileSnapshot("../../docs/openapi.json");
  });

  test("has every route of the table, and no other", () => {
    const documented = Object.entries<object>(openApi.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const routes = ROUTE_TABLE.map(({ method, path }) => `${method} ${path.replace(/:([a-z_]+)/g, "{$1}")}`);
    expect(documented.toSorted()).toEqual(routes.toSorted());
  });

  test("gives every operation a name of its own, its parameters, its key, its success and its errors", () => {
    const names = new Set<string>();
    for (const row of ROUTE_TABLE) {
      const operation = openApi.paths[row.path.replace(/:([a-z_]+)/g, "{$1}")][row.method.toLowerCase()];
      names.add(operation.operationId);
      const parameters = [
        ...Object.keys((row.query as { properties?: object } | undefined)?.properties ?? {}),
        ...[...row.path.matchAll(/:([a-z_]+)/g)].map(([, name]) => name),
      ];
      expect((operation.parameters ?? []).map(({ name }: { name: string }) => name)).toEqual(parameters);
      expect(operation.security).toEqual(row.access.kind === "public" ? [] : [{ key: [] }]);
      expect(operation.requestBody !== undefined).toBe(row.body !== null);
      const statuses = Object.keys(operation.responses);
      expect(statuses).toEqual(expect.arrayContaining(["200", "500", "503"]));
      if (row.access.kind !== "public") expect(statuses).toContain("401");
      if (row.access.kind === "permission") expect(statuses).toContain("403");
      if (row.body !== null) expect(statuses).toEqual(expect.arrayContaining(["400", "413", "415"]));
      if (row.scope === "index") expect(statuses).toContain("404");
    }
    expect(names.size).toBe(ROUTE_TABLE.length);
  });

  test("refers only to what it defines", () => {
    const references = [...JSON.stringify(openApi).matchAll(/"\$ref":"([^"]*)"/g)].map(
      ([, target]) => target!,
    );
    expect(references.length).toBeGreaterThan(0);
    for (const target of new Set(references)) {
      expect(target).toMatch(/^#\/components\/schemas\//);
      expect(openApi.components.schemas).toHaveProperty(target.split("/").at(-1)!);
    }
  });

  test("is public, and says which version of OpenAPI it is", async () => {
    expect(openApi.openapi).toMatch(/^3\.1\./);
    expectError(await server.send("POST", "/openapi.json"), 405, "method_not_allowed");
  });
});

describe("/docs/api", () => {
  test("shows every route, with a form to try it", async () => {
    const { text, headers } = await server.send("GET", "/docs/api");
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    for (const { operationId, method, path } of ROUTE_TABLE) {
      expect(text).toContain(`id="${operationId}"`);
      expect(text).toContain(`data-method="${method}" data-path="${path}"`);
    }
  });

  test("asks for nothing from elsewhere and runs nothing inline", async () => {
    const { text, headers } = await server.send("GET", "/docs/api");
    expect(headers["content-security-policy"]).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    );
    const targets = [...text.matchAll(/(?:src|href|action)="([^"]*)"/g)].map(([, target]) => target!);
    for (const target of targets) {
      expect(target).toMatch(/^(#|\/)/);
      if (!target.startsWith("/")) continue;
      const answer = await server.send("GET", target);
      expect(answer.status, target).toBe(200);
      // The manual's pages have examples with addresses, and the name of a picture's language is one.
      if (target !== "/docs" && !target.endsWith(".svg")) expect(answer.text).not.toMatch(/https?:\/\//);
    }
    expect(text).not.toMatch(/<script(?![^>]*src=)|<style|\sstyle=|\son[a-z]+=/);
  });

  test("is well-formed: every element closed, every label for something", async () => {
    const { text } = await server.send("GET", "/docs/api");
    const open: string[] = [];
    for (const [, closing, name] of text.matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*>/g)) {
      if (["meta", "link", "input"].includes(name!)) continue;
      if (closing === "/") expect(open.pop()).toBe(name);
      else open.push(name!);
    }
    expect(open).toEqual([]);
    const ids = [...text.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
