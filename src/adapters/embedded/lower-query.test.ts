// Lowering decides one thing: whether `must_if_present` is `must` or `should` (contract 5.2, dynamic mode, three words).
import { beforeAll, describe, expect, test } from "vitest";
import { Index, MemoryDirectory, type Query } from "../../engine/server-door.js";
import type { QueryAst } from "../../query/query-ast.js";
import { lowerQuery } from "./lower-query.js";

let index: Index;
beforeAll(async () => {
  index = await Index.create(new MemoryDirectory(), {
    fields: [
      { name: "id", kind: "keyword", indexed: true, stored: true, multi: false },
      { name: "title", kind: "text", indexed: true, stored: true, multi: false },
    ],
    analyzer: { version: 1 },
  });
  await index.add([
    { id: "A-1", title: "blue wi fi lamp" },
    { id: "A-2", title: "fi and later wi" },
    { id: "gone", title: "vanished" },
  ]);
  await index.deleteByQuery({ kind: "value_set", field: "id", values: ["gone"] });
  await index.commit();
});

const term = (word: string): QueryAst => ({ kind: "term", field: "title", term: word });
const id = (value: string): QueryAst => ({ kind: "value_set", field: "id", values: [value] });
const phrase = (...words: string[]): QueryAst => ({
  kind: "phrase",
  field: "title",
  terms: words.map((word, position) => ({ term: word, position })),
  slop: 0,
  lastIsPrefix: false,
});
const anyField = (...asts: QueryAst[]): QueryAst => ({
  kind: "boolean",
  clauses: asts.map((ast) => ({ occur: "should", ast })),
});
const boost = (ast: QueryAst): QueryAst => ({ kind: "boost", ast, factor: 3 });

function occurOf(ast: QueryAst): string {
  const lowered = lowerQuery(
    { kind: "boolean", clauses: [{ occur: "must_if_present", word: "any", ast }] },
    index.searcher,
  );
  return (lowered as Extract<Query, { kind: "boolean" }>).clauses[0]!.occur;
}

describe("must_if_present", () => {
  test.each<[string, QueryAst]>([
    ["a term", term("blue")],
    ["an identifier", id("A-2")],
    ["a phrase that a document holds", phrase("wi", "fi")],
    ["a word that only the text holds", anyField(term("blue"), id("blue"))],
    ["a word that only an identifier holds", anyField(term("absent"), id("A-1"))],
    ["a weighted word", boost(anyField(term("absent"), boost(id("A-1"))))],
  ])("is must for %s", (_name, ast) => expect(occurOf(ast)).toBe("must"));

  test.each<[string, QueryAst]>([
    ["a term that is nowhere", term("absent")],
    ["a term of a deleted document", term("vanished")],
    ["an identifier that is nowhere", id("B-1")],
    ["an identifier of a deleted document", id("gone")],
    ["a phrase whose words never stand together", phrase("lamp", "wi")],
    ["a word that neither text nor identifier holds", anyField(term("absent"), id("absent"))],
    ["nothing", { kind: "match_none" }],
  ])("is should for %s", (_name, ast) => expect(occurOf(ast)).toBe("should"));
});

test("every other part keeps its meaning, at any depth", () => {
  const ast: QueryAst = {
    kind: "boolean",
    clauses: [
      { occur: "must", ast: { kind: "constant_score", ast: boost(term("blue")), score: 2 } },
      { occur: "must_not", ast: anyField(id("A-1"), { kind: "match_all" }) },
      { occur: "filter", ast: { kind: "facet", field: "kind", paths: ["/a"] } },
    ],
    minimumShouldMatch: 0,
  };
  expect(lowerQuery(ast, index.searcher)).toEqual({
    kind: "boolean",
    clauses: [
      {
        occur: "must",
        query: {
          kind: "constant_score",
          query: { kind: "boost", query: term("blue"), factor: 3 },
          score: 2,
        },
      },
      {
        occur: "must_not",
        query: {
          kind: "boolean",
          clauses: [
            { occur: "should", query: id("A-1") },
            { occur: "should", query: { kind: "match_all" } },
          ],
        },
      },
      { occur: "filter", query: { kind: "facet", field: "kind", paths: ["/a"] } },
    ],
    minimumShouldMatch: 0,
  });
});
