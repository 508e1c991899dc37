// Contract 8: the limits of a search are settings, in force in both directions.
import { expect, test } from "vitest";
import { expectError } from "./expect-error.js";
import { exact } from "./text-indexes.js";
import { isOnCluster, WireServer } from "./wire-server.js";

test("every limit is a setting, downwards, and its error tells the figure in force", async () => {
  const strict = await WireServer.start({
    maxResultLimit: 3,
    queryClauses: 1,
    queryLength: 12,
    queryDepth: 2,
    queryTerms: 5,
  });
  try {
    await strict.createIndex("books");
    const send = (body: unknown) => strict.post("/index/books/search", body);
    const remove = (body: unknown) => strict.delete("/index/books/documents/query", body);
    expectError(await send({ query: "x", limit: 4 }), 400, "limit_too_large");
    for (const sent of [send, remove]) {
      const many = await sent({ query: [exact("x"), exact("y")] });
      expectError(many, 400, "invalid_request");
      expect(many.json.message).toContain("at most 1");
      for (const mode of ["exact", "fuzzy", "dynamic"]) {
        const long = await sent({ query: { [mode]: { ctx: "thirteen char" } } });
        expectError(long, 400, "invalid_request");
        expect(long.json.message).toContain("longer than 12");
        expect(long.json.data.errors[0].path).toBe(`query.${mode}.ctx`);
      }
      for (const deep of ["(((x)))", "NOT ((x))", "title:(((x)))"]) {
        const refused = await sent({ query: exact(deep.replace("title", "id")) });
        expectError(refused, 400, "query_syntax");
        expect(refused.json.message).toContain("deeper than 2 levels");
      }
      const wordy = await sent({ query: exact("1 2 3 4 5 6") });
      expectError(wordy, 400, "invalid_request");
      expect(wordy.json.message).toContain("at most 5");
      expect((await sent({ query: exact("twelve chars") })).status).toBe(200);
      expect((await sent({ query: exact("((x))") })).status).toBe(200);
    }
  } finally {
    await strict.stopAndRemove();
  }
});

// A cluster bounds the words of a query itself.
test.skipIf(isOnCluster())("every limit is a setting, upwards", async () => {
  const generous = await WireServer.start({
    maxResultLimit: 1000,
    queryClauses: 300,
    queryLength: 100_000,
    queryDepth: 500,
    queryTerms: 200_000,
  });
  try {
    await generous.createIndex("books");
    await generous.addCommitted(
      "books",
      Array.from({ length: 300 }, (_, id) => ({ id: String(id), title: "x" })),
    );
    const found = async (query: unknown, limit = 1) => {
      const answer = await generous.post("/index/books/search", { query, limit });
      expect(answer.status, answer.text).toBe(200);
      return answer.json.data;
    };
    expect((await found(exact("*"), 1000)).hits).toHaveLength(300);
    expect((await found(Array.from({ length: 300 }, () => exact("x")))).count).toBe(300);
    const filler = "y ".repeat(49_000);
    for (const mode of ["exact", "fuzzy"]) {
      expect((await found({ [mode]: { ctx: `${filler} x` } })).count).toBe(300);
    }
    // Every kind of nesting at once, as deep as may be asked for, through parser, compiler and engine.
    const nested = (open: string, close: string, levels: number) =>
      `${open.repeat(levels)}x${close.repeat(levels)}`;
    expect((await found(exact(nested("(", ")", 500)))).count).toBe(300);
    expect((await found(exact(nested("NOT ", "", 500)))).count).toBe(300);
    expect((await found(exact(nested("(x -", ")^2", 500)))).count).toBe(300);
    expect((await found(exact(nested("(z OR y AND NOT title:(", "))", 166)))).count).toBe(0);
    expectError(
      await generous.post("/index/books/search", { query: exact(nested("(", ")", 501)) }),
      400,
      "query_syntax",
    );
  } finally {
    await generous.stopAndRemove();
  }
});
