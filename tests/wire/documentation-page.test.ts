// /docs/api as a browser uses it: its script, run over stand-ins for the few parts of a page that it touches,
// sends what its forms hold to the server that it came from.
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ROUTE_TABLE } from "../../src/contract/route-table.js";
import { ADMIN, READ, WireServer } from "./wire-server.js";

let server: WireServer;
let script = "";
let page = "";
beforeAll(async () => {
  server = await WireServer.start();
  script = (await server.send("GET", "/docs/page.js")).text;
  page = (await server.send("GET", "/docs/api")).text;
});
afterAll(() => server.stopAndRemove());
beforeEach(async () => {
  await server.delete("/index/books");
  await server.createIndex("books");
  await server.addCommitted("books", [{ id: "1", title: "human world" }]);
});

/** What the page shows after its form of the operation has been filled in and sent. */
async function tried(
  operationId: string,
  key: string,
  values: Readonly<Record<string, string>>,
): Promise<string> {
  const form = new RegExp(
    `id="${operationId}">.*?<form data-method="([A-Z]+)" data-path="([^"]*)">(.*?)</form>`,
    "s",
  );
  const [, method, path, inputs] = form.exec(page)!;
  const names = [...inputs!.matchAll(/<(?:input|textarea) name="([^"]*)"/g)].map(([, name]) => name!);
  const example = /<textarea[^>]*>(.*?)<\/textarea>/s
    .exec(inputs!)?.[1]
    ?.replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
  const filled = new Map(names.map((name) => [name, values[name] ?? (name === "body" ? example! : "")]));
  const output = { textContent: "" };
  let submit: (event: object) => Promise<void> = () =>
    Promise.reject(new Error("the script listens to no form"));
  runInNewContext(script, {
    document: {
      addEventListener: (_type: "submit", listener: typeof submit) => (submit = listener),
      getElementById: (id: string) => (id === "key" ? { value: key } : null),
    },
    FormData: class {
      get(name: string): string | null {
        return filled.get(name) ?? null;
      }
      [Symbol.iterator](): Iterator<[string, string]> {
        return filled.entries();
      }
    },
    URLSearchParams,
    HTMLDetailsElement: class {},
    addEventListener: () => {},
    location: { hash: "" },
    performance,
    // A browser resolves paths against the page's own address.
    fetch: (target: string, options: RequestInit) => fetch(`${server.running.url}${target}`, options),
  });
  await submit({
    preventDefault: () => {},
    target: { dataset: { method, path }, querySelector: () => output },
  });
  return output.textContent;
}

describe("trying out", () => {
  test("a route without a key and without a body", async () => {
    expect(await tried("checkHealth", "", {})).toMatch(/^200 in \d+ ms\n\{\n {2}"status": 200/);
  });

  test("a search with the page's own example as its body", async () => {
    const shown = await tried("searchIndex", READ, { index_name: "books" });
    expect(shown).toMatch(/^200 in /);
    expect(JSON.parse(shown.slice(shown.indexOf("\n"))).data.hits[0].doc.title).toBe("human world");
  });

  test("a query in the URL", async () => {
    const shown = await tried("suggest", READ, { index_name: "books", "?q": "wo" });
    expect(JSON.parse(shown.slice(shown.indexOf("\n"))).data.completions).toEqual(["world"]);
  });

  test("a delete with a body, a path with characters to be encoded, an answer that is an error", async () => {
    expect(
      await tried("deleteDocumentsByField", ADMIN, { index_name: "books", body: '{"id":"1"}' }),
    ).toContain('"num_removed": 1');
    expect(await tried("getIndex", ADMIN, { index_name: "a/b?c#d %" })).toContain(
      "index 'a/b?c#d %' does not exist",
    );
    expect(await tried("getIndex", "", { index_name: "books" })).toMatch(/^401 in /);
    expect(await tried("searchIndex", READ, { index_name: "books", body: "{" })).toMatch(/^400 in /);
  });
});

test("every operation's own example is a body that the server can read", async () => {
  for (const { operationId, body, path } of ROUTE_TABLE) {
    if (body === null) continue;
    const values = Object.fromEntries([...path.matchAll(/:([a-z_]+)/g)].map(([, name]) => [name, "books"]));
    const shown = await tried(operationId, ADMIN, values);
    expect(shown, `${operationId}: ${shown}`).toMatch(/^(200|404|409) in |"code": "(?!invalid_json)/);
    expect(shown, operationId).not.toMatch(/^5/);
  }
});
