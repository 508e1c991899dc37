// Integers that doubles can't hold keep their digits, numbers as numbers and text as text, whichever way they come in
// and go out, pending and committed, after a crash and an export.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { runExport } from "../../src/cli/commands/export-command.js";
import { runImport } from "../../src/cli/commands/import-command.js";
import { runSync } from "../../src/cli/commands/sync-command.js";
import { Output } from "../../src/cli/terminal/output.js";
import { readJson, writeJson } from "../../src/client/exact-json.js";
import { FindlingClient } from "../../src/client/index.js";
import { expectError } from "./expect-error.js";
import { ADMIN, type WireAnswer, WireServer } from "./wire-server.js";

const BIG = "9007199254740993";
const U64_MAX = "18446744073709551615";
const I64_MIN = "-9223372036854775808";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
});
afterAll(() => server.stopAndRemove());

const FIELDS = {
  id: { type: "text" },
  u: { type: "u64" },
  i: { type: "i64", multi: true },
  f: { type: "f64" },
  t: { type: "text" },
  flat: { type: "facet", hierarchical: false },
  j: { type: "json" },
  hidden: { type: "u64", indexed: false },
};
beforeEach(async () => {
  await server.post("/index", { override_if_exists: true, index: { name: "numbers", fields: FIELDS } });
});

const send = (method: string, path: string, body: string, type = "application/json"): Promise<WireAnswer> =>
  server.send(method, `/index/numbers${path}`, { key: ADMIN, body, headers: { "content-type": type } });
const commit = (): Promise<WireAnswer> => server.post("/index/numbers/commit");
const search = (ctx: string, more: object = {}): Promise<WireAnswer> =>
  server.post("/index/numbers/search", { query: { exact: { ctx } }, ...more });
const ids = async (ctx: string): Promise<unknown[]> => [...(await server.idsOf("numbers", ctx))];

async function added(body: string, path = "/documents", type?: string): Promise<string[]> {
  const answer = await send("POST", path, body, type);
  expect(answer.status, answer.text).toBe(200);
  await commit();
  return answer.json.data.ids;
}

describe("documents", () => {
  const document = `{"id":"a","u":${U64_MAX},"i":[${I64_MIN},"${BIG}",5],"t":"${BIG}","j":{"n":[${BIG},-${BIG}1234567890,1],"s":"${BIG}"},"hidden":${BIG}}`;

  test("come back digit by digit, from a hit, by their id, by cursor and in their fields", async () => {
    const [id] = await added(`[${document}]`);
    expect((await search("*")).text).toContain(`"doc":${document}`);
    const { text } = await server.get(`/index/numbers/documents/${id}`);
    // As data, and beside it; with `doc` in each.
    expect(text.split(document.slice(1, -1))).toHaveLength(5);
    expect((await search("*", { cursor: true, limit: 1 })).text).toContain(document);
    expect((await search("*", { fields: ["u", "j"] })).text).toContain(
      `"doc":{"u":${U64_MAX},"j":{"n":[${BIG},-${BIG}1234567890,1],"s":"${BIG}"}}`,
    );
  });

  test.each([
    ["one by itself", document, undefined],
    [
      "a large body, read elsewhere",
      `[${Array.from({ length: 400 }, () => document).join(" , ")}]`,
      undefined,
    ],
    ["NDJSON", `${document}\n`, "application/x-ndjson"],
  ])("%s", async (_way, body, type) => {
    await added(body, "/documents", type);
    expect((await search("*", { limit: 1 })).text).toContain(`"doc":${document}`);
  });

  test("as CSV, whose cells are text", async () => {
    await added(`id,u,t\na,${BIG},${BIG}\n`, "/documents", "text/csv");
    expect((await search(`u:${BIG}`)).text).toContain(`"doc":{"id":"a","u":"${BIG}","t":"${BIG}"}`);
  });

  test("text fields, identifiers and flat facets take the number's digits", async () => {
    await added(`[{"id":${BIG},"t":${BIG},"flat":${BIG}},{"id":9007199254740992,"t":1}]`);
    expect((await search("*")).text).toContain(`"doc":{"id":"${BIG}","t":"${BIG}","flat":"${BIG}"}`);
    expect(await ids(`id:${BIG}`)).toEqual([BIG]);
    expect(await ids(`t:${BIG}`)).toEqual([BIG]);
    expect(await ids(`flat:${BIG}`)).toEqual([BIG]);
  });

  test("an f64 field takes the nearest double, and no other field more than it can hold", async () => {
    await added(`{"id":"a","f":${BIG}}`);
    expect(await ids("f:>9e15")).toEqual(["a"]);
    for (const value of ["18446744073709551616", "-1", `${BIG}.5`, "1e20"]) {
      const answer = await send("POST", "/documents", `{"id":"b","u":${value}}`);
      expectError(answer, 400, "invalid_document");
      if (!value.includes("e"))
        expect(answer.json.message).toContain(
          `not ${Number(value) < 2 ** 53 || value.includes(".") ? Number(value) : value}`,
        );
    }
    expectError(
      await send("POST", "/documents", `{"id":"b","i":9223372036854775808}`),
      400,
      "invalid_document",
    );
    expectError(await send("POST", "/documents", `{"id":"b","j":[1e400]}`), 400, "invalid_document");
  });

  test("any JSON has the numbers that it was sent with", async () => {
    const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.bigInt(-(10n ** 30n), 10n ** 30n),
        fc.bigInt(2n ** 53n - 2n, 2n ** 53n + 2n),
        fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }),
        fc.constantFrom(null, true, "\u0001", `"${BIG}`, `${BIG}`),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom("a", "b", BIG), tie("value"), { maxKeys: 3 }),
      ),
    })).value;
    await fc.assert(
      fc.asyncProperty(value, fc.boolean(), async (json, isPiecewise) => {
        await server.delete("/index/numbers/documents/all");
        const text = writeJson(json);
        fc.pre(text !== "null");
        const one = `{"id":"a","j":${text}}`;
        const [id] = await added(isPiecewise ? `[${one}${`,{"t":"${"x".repeat(9_000)}"}`.repeat(4)}]` : one);
        const { text: answer } = await server.get(`/index/numbers/documents/${id}`);
        expect(answer).toContain(`"doc":{"id":"a","j":${writeJson(readJson(text))}}`);
      }),
      { numRuns: 40 },
    );
  });

  test("survive a crash before they are committed", async () => {
    const folder = await mkdtemp(join(tmpdir(), "findling-digits-"));
    const before = await WireServer.start({}, { folder });
    await before.post("/index", { index: { name: "numbers", fields: FIELDS } });
    const headers = { "content-type": "application/json" };
    const sent = await before.send("POST", "/index/numbers/documents", {
      key: ADMIN,
      body: document,
      headers,
    });
    expect(sent.status).toBe(200);
    await before.stop();
    const after = await WireServer.start({}, { folder });
    await after.post("/index/numbers/commit");
    const body = { query: { exact: { ctx: "*" } } };
    expect((await after.post("/index/numbers/search", body)).text).toContain(`"doc":${document}`);
    await after.stopAndRemove();
  });
});

describe("queries", () => {
  beforeEach(() =>
    added(
      `[{"id":"a","u":9007199254740992},{"id":"b","u":${BIG}},{"id":"c","u":"9007199254740994"},{"id":"d","u":${U64_MAX},"hidden":${BIG}}]`,
    ),
  );

  test.each([
    [`u:${BIG}`, ["b"]],
    [`u:IN [${BIG} 9007199254740994]`, ["b", "c"]],
    [`u:[${BIG} TO 9007199254740994]`, ["b", "c"]],
    [`u:>${BIG}`, ["c", "d"]],
    [`u:<${BIG}`, ["a"]],
    [`u:${U64_MAX}`, ["d"]],
  ])("%s", async (ctx, found) => {
    expect((await ids(ctx)).sort()).toEqual(found);
  });

  test("orders are those of the integers", async () => {
    const { json } = await search("*", { order_by: "u", sort: "desc" });
    expect(json.data.hits.map((hit: { doc: { id: string } }) => hit.doc.id)).toEqual(["d", "c", "b", "a"]);
  });

  test("deletes by a field mean the integer, number or text", async () => {
    expect(
      (await send("DELETE", "/documents", `{"u":[${BIG},"9007199254740992"]}`)).json.data.num_removed,
    ).toBe(2);
    expect((await send("DELETE", "/documents", `{"hidden":${BIG}}`)).json.data.num_removed).toBe(1);
    await commit();
    expect(await ids("*")).toEqual(["c"]);
  });
});

describe("primary keys and changes", () => {
  beforeEach(async () => {
    const index = { name: "numbers", fields: FIELDS, primary_key: "u" };
    await server.post("/index", { override_if_exists: true, index });
    await added(`[{"id":"a","u":${BIG},"j":${BIG}},{"id":"b","u":9007199254740992}]`);
  });

  test("a key is the integer, as a number, as text and in a path", async () => {
    await added(`[{"id":"c","u":"${BIG}"},{"id":"d","u":${BIG}}]`);
    expect((await ids("*")).sort()).toEqual(["b", "d"]);
    expect((await server.get(`/index/numbers/documents/by-key/${BIG}`)).json.data.id).toBe("d");
    expect((await server.delete(`/index/numbers/documents/by-key/${BIG}`)).status).toBe(200);
    await commit();
    expect(await ids("*")).toEqual(["b"]);
  });

  test("changes leave the digits of the others alone, and bring their own", async () => {
    const change = (body: string): Promise<WireAnswer> => send("PATCH", "/documents", body);
    expect((await change(`{"u":${BIG},"t":"new"}`)).json.data.num_updated).toBe(1);
    await commit();
    expect((await search(`u:${BIG}`)).text).toContain(`{"id":"a","u":${BIG},"t":"new","j":${BIG}}`);
    expect((await change(`{"u":"${BIG}","j":[${BIG}1],"i":[${I64_MIN}]}`)).status).toBe(200);
    await commit();
    expect((await search(`u:${BIG}`)).text).toContain(
      `{"id":"a","u":"${BIG}","i":[${I64_MIN}],"t":"new","j":[${BIG}1]}`,
    );
    const missing = await change(`{"u":9007199254740995,"t":"x"}`);
    expectError(missing, 404, "document_not_found");
    expect(missing.json.message).toContain("u '9007199254740995'");
    const other = await change(
      `{"_id":"${(await search("id:b")).json.data.hits[0].document_id}","u":${BIG}}`,
    );
    expectError(other, 400, "invalid_document");
  });

  test("a key that several documents share is named as it is", async () => {
    await server.post("/index", { override_if_exists: true, index: { name: "numbers", fields: FIELDS } });
    await added(`[{"id":"a","u":${BIG}},{"id":"b","u":"${BIG}"}]`);
    const answer = await server.patch("/index/numbers/settings", { primary_key: "u" });
    expect(answer.status).toBe(400);
    expect(answer.json.message).toContain(BIG);
  });
});

describe("outside of the server", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "findling-digits-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  class Quiet extends Output {
    results: unknown;
    constructor() {
      super(true);
    }
    override result(value: object): void {
      this.results = value;
    }
    override note(): void {}
  }

  test("an export is what was imported, and a sync of it changes nothing", async () => {
    const lines = `{"id":"a","u":${BIG},"j":{"n":${BIG}}}\n{"id":"b","u":"${BIG}","t":"x"}\n`;
    const [source, exported] = [join(folder, "in.ndjson"), join(folder, "out.ndjson")];
    await writeFile(source, lines);
    const common = { url: server.running.url, key: ADMIN };
    await runImport([source], { ...common, index: "numbers", retrySeconds: "5" } as never, new Quiet());
    await runExport("numbers", { ...common, query: "*", out: exported }, new Quiet());
    expect(await readFile(exported, "utf8")).toBe(lines);
    const said = new Quiet();
    await runSync([exported], { ...common, index: "numbers", primaryKey: "id" } as never, said);
    expect(said.results).toMatchObject({ unchanged: 2, added: 0, replaced: 0 });
    await writeFile(exported, lines.replace(`"n":${BIG}`, '"n":9007199254740992'));
    await runSync([exported], { ...common, index: "numbers", primaryKey: "id" } as never, said);
    expect(said.results).toMatchObject({ unchanged: 1, replaced: 1 });
  });

  test("the client reads them as bigints where it is asked to, and sends them", async () => {
    const client = new FindlingClient({ url: server.running.url, key: ADMIN, exactIntegers: true });
    await client.addDocuments("numbers", [{ id: "a", u: BigInt(BIG), j: [BigInt(BIG)] }]);
    await client.commitIndex("numbers");
    const { hits } = await client.searchIndex("numbers", { query: { exact: { ctx: "*" } } });
    expect(hits[0]!.doc).toEqual({ id: "a", u: BigInt(BIG), j: [BigInt(BIG)] });
    const rounding = new FindlingClient({ url: server.running.url, key: ADMIN });
    const [hit] = (await rounding.searchIndex("numbers", { query: { exact: { ctx: "*" } } })).hits;
    expect(hit!.doc).toEqual({ id: "a", u: 9007199254740992, j: [9007199254740992] });
  });
});
