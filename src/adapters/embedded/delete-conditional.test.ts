/**
 * A delete by query in dynamic mode with three words depends on whether the first two are in the index. That is looked
 * up where searches run, so that others are answered meanwhile, and decided as for a search.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ManualClock } from "../../../tests/kit/manual-clock.js";
import { field, sampleIndex } from "../../../tests/query-kit/sample-index.js";
import { Searcher } from "../../engine/server-door.js";
import type { QueryAst } from "../../query/query-ast.js";
import { EmbeddedBackend } from "./embedded-backend.js";

const { schema } = sampleIndex({ fields: { title: field("text") }, search_fields: ["title"] });
const folder = mkdtempSync(join(tmpdir(), "findling-delete-conditional-"));
let backend: EmbeddedBackend;

beforeEach(async () => {
  backend = await EmbeddedBackend.open({
    dataDirectory: folder,
    clock: new ManualClock(),
    searchThreads: 1,
    // All searches run in the thread.
    searchCostHereMax: 0,
  });
  await backend.start([]);
  await backend.createIndex("books", schema);
  await backend.add("books", [{ title: "blue wi fi lamp" }, { title: "lamp and wi" }, { title: "fi" }]);
  await backend.commit("books");
});

afterEach(async () => {
  await backend.stop();
  rmSync(folder, { recursive: true, force: true });
});

const term = (word: string): QueryAst => ({ kind: "term", field: "title", term: word });
const phrase = (...words: string[]): QueryAst => ({
  kind: "phrase",
  field: "title",
  terms: words.map((word, position) => ({ term: word, position })),
  slop: 0,
  lastIsPrefix: false,
});
const ifPresent = (ast: QueryAst, other: QueryAst): QueryAst => ({
  kind: "boolean",
  clauses: [
    { occur: "must_if_present", word: "any", ast },
    { occur: "should", ast: other },
  ],
});

test.each([
  ["a word that is there", ifPresent(term("blue"), term("lamp")), 1],
  ["a word that isn't", ifPresent(term("green"), term("lamp")), 2],
  ["words in a row", ifPresent(phrase("wi", "fi"), term("lamp")), 1],
  ["words that are nowhere in a row", ifPresent(phrase("fi", "wi"), term("lamp")), 2],
  [
    "within other clauses",
    {
      kind: "boost",
      factor: 2,
      ast: ifPresent(phrase("wi", "fi"), ifPresent(term("green"), term("lamp"))),
    } as QueryAst,
    1,
  ],
])("%s", async (_, ast, deleted) => {
  expect(await backend.deleteMatching("books", ast)).toBe(deleted);
});

test("others go on meanwhile", async () => {
  const clauses = Array.from({ length: 60 }, () => ({
    occur: "should" as const,
    ast: ifPresent(phrase("wi", "fi"), term("lamp")),
  }));
  const counting = vi.spyOn(Searcher.prototype, "count");
  expect(await backend.deleteMatching("books", { kind: "boolean", clauses })).toBe(1);
  // Not in this thread.
  expect(counting).not.toHaveBeenCalled();
});
