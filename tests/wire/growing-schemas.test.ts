// PATCH /index/:index_name/fields on a real server: documents stay, searches see all of the old or all of the new.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { expectError } from "./expect-error.js";
import { READ, WireServer } from "./wire-server.js";

const COUNT = 2000;
const PATH = "/index/books/fields";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
});
afterAll(() => server.stopAndRemove());
beforeEach(async () => {
  await server.delete("/index/books");
  const fields = {
    id: { type: "text" },
    title: { type: "text" },
    note: { type: "text", indexed: false, stored: false },
    pages: { type: "u64" },
  };
  await server.createIndex("books", { fields });
});

const book = (i: number): object => ({ id: `b${i}`, title: `volume ${i}`, note: `shelf ${i % 7}`, pages: i });

async function countOf(ctx: string): Promise<number> {
  const answer = await server.post("/index/books/search", { query: { exact: { ctx } }, limit: 0 });
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data.count;
}

test("searches meanwhile see all or nothing of it, and writes go on", async () => {
  await server.addCommitted(
    "books",
    Array.from({ length: COUNT }, (_, i) => book(i)),
  );
  let isDone = false;
  const seen = new Set<number | string>();
  const searching = async (): Promise<void> => {
    while (!isDone) {
      const answer = await server.post("/index/books/search", {
        query: { exact: { ctx: "note:shelf" } },
        limit: 0,
      });
      seen.add(answer.status === 200 ? answer.json.data.count : answer.json.data.code);
    }
  };
  const writing = async (): Promise<number> => {
    for (let i = 0; ; i++) {
      expect((await server.post("/index/books/documents", [{ id: `w${i}`, title: "written" }])).status).toBe(
        200,
      );
      if (i % 3 === 0) expect((await server.post("/index/books/commit")).status).toBe(200);
      if (isDone) return i + 1;
    }
  };
  const searches = [searching(), searching()];
  const written = writing();
  const patched = await server.patch(PATH, {
    note: { indexed: true, stored: true },
    "made.by": { type: "text" },
  });
  expect(patched.json).toEqual({ status: 200, data: "index updated" });
  expect(await countOf("note:shelf")).toBe(COUNT);
  isDone = true;
  await Promise.all(searches);
  const count = await written;
  expect([...seen].filter((each) => each !== "field_not_indexed" && each !== COUNT)).toEqual([]);
  await server.addCommitted("books", [{ id: "new", made: { by: "hand" } }]);
  expect(await countOf("made.by:hand")).toBe(1);
  expect(await countOf("*")).toBe(COUNT + count + 1);
  expect(readdirSync(join(server.folder, "indexes"))).toHaveLength(1);
  expect((await server.get("/index/books")).json.data.fields.note).toMatchObject({
    indexed: true,
    stored: true,
  });
});

test("what is pending stays so, to be committed or rolled back, and a restart finds it", async () => {
  const [first] = await server.addCommitted("books", [book(1)]);
  await server.post("/index/books/documents", [book(2)]);
  await server.delete("/index/books/documents", { id: "b1" });
  await server.patch(PATH, { colour: { type: "facet" }, pages: { stored: false } });
  await server.post("/index/books/documents", [{ ...book(3), colour: "/red" }]);
  expect(await server.idsOf("books", "*")).toEqual(["b1"]);
  expect((await server.get(`/index/books/documents/${first}`)).json.data.doc).toEqual({
    id: "b1",
    title: "volume 1",
  });
  await server.stop();
  server = await WireServer.start({}, { folder: server.folder });
  await server.post("/index/books/rollback");
  expect(await server.idsOf("books", "*")).toEqual(["b1"]);
  await server.post("/index/books/documents", [{ ...book(4), colour: "/red" }]);
  await server.patch(PATH, { pages: { stored: true }, shade: { type: "bool" } });
  await server.post("/index/books/commit");
  expect(await server.idsOf("books", "colour:/red")).toEqual(["b4"]);
  const { hits } = (await server.post("/index/books/search", { query: { exact: { ctx: "pages:<5" } } })).json
    .data;
  expect(hits.map(({ doc }: { doc: object }) => doc)).toEqual([
    { id: "b1", title: "volume 1", pages: 1 },
    { id: "b4", title: "volume 4", pages: 4, colour: "/red" },
  ]);
});

test("an empty index has the field at once, and an index of an alias is meant by it", async () => {
  await server.put("/alias/library", { index: "books" });
  expect(
    (await server.patch("/index/library/fields", { isbn: { type: "text", required: true } })).status,
  ).toBe(200);
  expectError(await server.post("/index/books/documents", [book(1)]), 400, "invalid_document");
  await server.addCommitted("books", [{ ...book(1), isbn: "3-16" }]);
  expect(await countOf("isbn:16")).toBe(1);
  await server.delete("/alias/library");
});

test("needs the permission of a change of settings, and says what stands in the way", async () => {
  expectError(
    await server.send("PATCH", PATH, { key: READ, body: { a: { type: "text" } } }),
    403,
    "insufficient_permissions",
  );
  expectError(await server.patch("/index/none/fields", { a: { type: "text" } }), 404, "index_not_found");
  await server.addCommitted("books", [book(1)]);
  const refused = await server.patch(PATH, { isbn: { type: "text", required: true } });
  expectError(refused, 400, "invalid_schema");
  expect(refused.json.message).toMatch(
    /'fields.isbn.required' can't be true, as documents have no value: [0-9a-f]{32}/,
  );
  expectError(await server.patch(PATH, { title: { type: "u64" } }), 400, "invalid_schema");
});
