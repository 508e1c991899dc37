// Contract 3.2, PATCH of the analysis: documents are analysed anew beside the running ones and swapped in whole.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { expectError } from "./expect-error.js";
import { INGEST, isOnCluster, WireServer } from "./wire-server.js";

const STEMMING = { language: "en", enable_language_stemming: true };
const COUNT = 3000;

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
});
afterAll(() => server.stopAndRemove());
beforeEach(async () => {
  await server.delete("/index/books");
  await server.createIndex("books");
});

function titles(count: number): { id: string; title: string }[] {
  return Array.from({ length: count }, (_, i) => ({
    id: String(i),
    title: i % 2 === 0 ? `running café ${i}` : `runs cafe ${i}`,
  }));
}

async function countOf(ctx: string): Promise<number> {
  const answer = await server.post("/index/books/search", { query: { exact: { ctx } }, limit: 0 });
  expect(answer.status).toBe(200);
  return answer.json.data.count;
}

describe("PATCH", () => {
  test("searches meanwhile see all of the old or all of the new state, and writes go on", async () => {
    await server.addCommitted("books", titles(COUNT));
    let isDone = false;
    const seen = new Set<number>();
    const searching = async (): Promise<void> => {
      while (!isDone) seen.add(await countOf("run"));
    };
    const writing = async (): Promise<number> => {
      for (let i = 0; ; i++) {
        const added = await server.post("/index/books/documents", [{ id: `w${i}`, title: "walked" }]);
        expect(added.status).toBe(200);
        if (i % 3 === 0) expect((await server.post("/index/books/commit")).status).toBe(200);
        if (isDone) return i + 1;
      }
    };
    const searches = [searching(), searching()];
    const written = writing();
    const patched = await server.patch("/index/books", STEMMING);
    expect(patched.json).toEqual({ status: 200, data: "index updated" });
    expect(await countOf("run")).toBe(COUNT);
    isDone = true;
    await Promise.all(searches);
    const count = await written;
    expect([...seen].filter((each) => each !== 0 && each !== COUNT)).toEqual([]);
    expect(seen).toContain(0);
    await server.post("/index/books/commit");
    expect(await countOf("walking")).toBe(count);
    expect(await countOf("*")).toBe(COUNT + count);
    if (!isOnCluster()) expect(readdirSync(join(server.folder, "indexes"))).toHaveLength(1);
  });

  test("keeps ids, unstored values, and what is pending, to be committed or rolled back", async () => {
    await server.delete("/index/books");
    const fields = { id: { type: "text" }, title: { type: "text", stored: false } };
    await server.createIndex("books", { fields });
    const [first] = await server.addCommitted("books", [{ id: "1", title: "runs" }]);
    await server.post("/index/books/documents", [{ id: "2", title: "running" }]);
    await server.delete("/index/books/documents", { id: "1" });
    await server.patch("/index/books", STEMMING);
    expect(await server.idsOf("books", "run")).toEqual(["1"]);
    expect((await server.get(`/index/books/documents/${first}`)).json.data.doc).toEqual({ id: "1" });
    await server.patch("/index/books/settings", { fold_diacritics: true });
    await server.post("/index/books/rollback");
    expect(await server.idsOf("books", "*")).toEqual(["1"]);
    await server.post("/index/books/documents", [{ id: "3", title: "ran" }]);
    await server.delete("/index/books/documents", { id: "1" });
    await server.patch("/index/books", { enable_language_stemming: false });
    await server.patch("/index/books/settings", { fold_diacritics: false });
    await server.post("/index/books/commit");
    expect(await server.idsOf("books", "ran")).toEqual(["3"]);
    expect(await server.idsOf("books", "*")).toEqual(["3"]);
  });

  test("fold_diacritics makes words with and without one word, on both sides, and is shown where it is on", async () => {
    await server.addCommitted("books", titles(10));
    expect([await countOf("cafe"), await countOf("café")]).toEqual([5, 5]);
    expect((await server.get("/index/books")).json.data).not.toHaveProperty("fold_diacritics");
    expect((await server.patch("/index/books/settings", { fold_diacritics: true }, INGEST)).status).toBe(200);
    expect([await countOf("cafe"), await countOf("CAFÉ")]).toEqual([10, 10]);
    const { data } = (await server.get("/index/books")).json;
    expect(data.fold_diacritics).toBe(true);
    expect((await server.put("/index/books", { index: data })).status).toBe(200);
    await server.addCommitted("books", titles(2));
    expect(await countOf("cafe")).toBe(2);
    await server.patch("/index/books/settings", { fold_diacritics: false });
    expect(await countOf("cafe")).toBe(1);
    expectError(
      await server.patch("/index/books/settings", { fold_diacritics: "yes" }),
      400,
      "invalid_schema",
    );
  });

  test("stemming without a stemmer is refused wherever it is asked for", async () => {
    const wrong = [{ enable_language_stemming: true }, { ...STEMMING, language: "xx" }];
    for (const settings of wrong) {
      expectError(await server.patch("/index/books", settings), 400, "invalid_schema");
      const index = { name: "books", fields: { title: { type: "text" } }, ...settings };
      expectError(await server.put("/index/books", { index }), 400, "invalid_schema");
      expectError(await server.post("/index", { index: { ...index, name: "new" } }), 400, "invalid_schema");
    }
  });

  test("several at once are put in force one after the other", async () => {
    await server.addCommitted("books", titles(200));
    const answers = await Promise.all([
      server.patch("/index/books", STEMMING),
      server.patch("/index/books/settings", { fold_diacritics: true }),
      server.patch("/index/books", { weight_multipliers: { title: 2 } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect([await countOf("run"), await countOf("cafe")]).toEqual([200, 200]);
    expect((await server.get("/index/books")).json.data.weight_multipliers).toEqual({ title: 2 });
  });

  test("the analysis outlives a restart", async () => {
    await server.addCommitted("books", titles(20));
    await server.patch("/index/books", STEMMING);
    const { folder } = server;
    await server.stop();
    server = await WireServer.start({}, { folder });
    expect(await countOf("run")).toBe(20);
  });
});
