// Contract 5.6, 5.7: combining clauses, scoring and ordering, seen from outside.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exact, fuzzy, must, TextIndexes } from "./text-indexes.js";
import { type ParsedJson, WireServer } from "./wire-server.js";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
});
afterAll(() => server.stopAndRemove());

const texts = new TextIndexes(() => server);

describe("5.6 combining clauses", () => {
  test("should alone: at least one; with must: only score", async () => {
    await texts.of(["a1 b1", "a1", "b1", "c1"]);
    expect(await texts.found([exact("a1"), exact("b1")])).toEqual(["a1", "a1 b1", "b1"]);
    expect(await texts.ranked([must(exact("a1")), exact("b1")])).toEqual(["a1 b1", "a1"]);
    expect(await texts.found([must(exact("a1")), must(exact("b1"))])).toEqual(["a1 b1"]);
  });

  test("the minimum overrides; 0 lifts it but widens nothing", async () => {
    await texts.of(["a1 b1", "a1", "b1", "c1 a1 b1"]);
    const clauses = [exact("a1"), exact("b1"), must(exact("c1"))];
    expect(await texts.found(clauses)).toEqual(["c1 a1 b1"]);
    expect(await texts.found([must(exact("a1")), exact("b1")], { minimum_number_should_match: 1 })).toEqual([
      "a1 b1",
      "c1 a1 b1",
    ]);
    expect(await texts.found([exact("a1"), exact("b1")], { minimum_number_should_match: 0 })).toEqual([
      "a1",
      "a1 b1",
      "b1",
      "c1 a1 b1",
    ]);
    expect(await texts.found([must(exact("a1")), exact("b1")], { minimum_number_should_match: 0 })).toEqual([
      "a1",
      "a1 b1",
      "c1 a1 b1",
    ]);
    expect(await texts.found(exact("a1"), { minimum_number_should_match: 0 })).toEqual([
      "a1",
      "a1 b1",
      "c1 a1 b1",
    ]);
    expect(await texts.found(exact("a1"), { minimum_number_should_match: 1 })).toEqual([
      "a1",
      "a1 b1",
      "c1 a1 b1",
    ]);
    expect(await texts.found(must(exact("a1")), { minimum_number_should_match: 0 })).toEqual([
      "a1",
      "a1 b1",
      "c1 a1 b1",
    ]);
  });

  test("a fuzzy clause counts when it matches by edits", async () => {
    await texts.of(["planex blue", "planet", "blue"]);
    expect(await texts.found([fuzzy("planet"), exact("blue")], { minimum_number_should_match: 2 })).toEqual([
      "planex blue",
    ]);
  });

  test("the score is the sum of the matching clauses' scores", async () => {
    await texts.of(["a1 b1", "a1 x", "b1 y"]);
    const scoreOf = async (query: unknown) =>
      (await texts.search({ query })).hits.find((hit: ParsedJson) => hit.doc.id === "a1 b1").score as number;
    const both = await scoreOf([exact("a1"), exact("b1")]);
    expect(both).toBeCloseTo((await scoreOf(exact("a1"))) + (await scoreOf(exact("b1"))), 5);
    expect(await scoreOf([must(exact("a1")), must(exact("a1"))])).toBeCloseTo(
      2 * (await scoreOf(exact("a1"))),
      5,
    );
  });
});

describe("5.7 scoring and ordering", () => {
  test("weights multiply unfielded searches and not field:term", async () => {
    await texts.create({
      fields: { id: { type: "text" }, title: { type: "text" }, body: { type: "text" } },
      weight_multipliers: { title: 5 },
    });
    await texts.add([
      { id: "title", title: "star", body: "other" },
      { id: "body", title: "other", body: "star" },
    ]);
    const scores = async (ctx: string) =>
      Object.fromEntries(
        (await texts.search({ query: exact(ctx) })).hits.map((hit: ParsedJson) => [hit.doc.id, hit.score]),
      );
    const { title, body } = await scores("star");
    expect(title).toBeCloseTo(5 * body, 5);
    expect((await scores("title:star"))["title"]).toBeCloseTo(title / 5, 5);
    await server.patch(`/index/${texts.name}`, { weight_multipliers: { title: 0 } });
    expect((await scores("star"))["title"]).toBe(0);
  });

  test("filters score a constant 1", async () => {
    await texts.create({
      fields: {
        id: { type: "text" },
        kind: { type: "facet" },
        on: { type: "bool" },
        year: { type: "u64" },
        at: { type: "datetime" },
        title: { type: "text" },
      },
    });
    await texts.add([{ id: "1", kind: "/a", on: true, year: 1, at: 0, title: "x1 y1" }]);
    for (const ctx of [
      "*",
      "id:1",
      "kind:/a",
      "on:true",
      "year:1",
      "year:[0 TO 2]",
      "at:0",
      "title:IN [x1]",
      "title:[x TO z]",
      "year:*",
    ]) {
      expect((await texts.search({ query: exact(ctx) })).hits[0]?.score, ctx).toBeCloseTo(1, 6);
    }
  });

  test("equal scores and equal values keep the order of insertion, also over commits and merges", async () => {
    await texts.create({ fields: { id: { type: "text" }, n: { type: "u64" } } });
    for (let round = 0; round < 5; round++) {
      await texts.add([{ id: `${round}a`, n: 1 }, { id: `${round}b`, n: 1 }, { id: `${round}c` }]);
    }
    const inserted = Array.from({ length: 5 }, (_, round) => [`${round}a`, `${round}b`, `${round}c`]).flat();
    expect(await texts.ranked(exact("*"))).toEqual(inserted);
    const withValue = inserted.filter((id) => !id.endsWith("c"));
    const without = inserted.filter((id) => id.endsWith("c"));
    for (const sort of ["asc", "desc"]) {
      expect(await texts.ranked(exact("*"), { order_by: "n", sort })).toEqual([...withValue, ...without]);
    }
  });

  test("text orders case-insensitively by code points, numbers, dates and bools by value", async () => {
    await texts.create({
      fields: {
        id: { type: "text" },
        title: { type: "text" },
        i: { type: "i64" },
        f: { type: "f64" },
        at: { type: "datetime" },
        on: { type: "bool" },
      },
    });
    await texts.add([
      { id: "1", title: "banana", i: -5, f: 0.5, at: "2024-01-01", on: true },
      { id: "2", title: "Apple", i: 10, f: -1e300, at: "1969-01-01", on: false },
      { id: "3", title: "Éclair", i: 9, f: 1e300, at: "2024-01-02" },
      { id: "4", title: "cherry 10", i: 0, f: 0 },
      { id: "5", title: "Cherry 9" },
    ]);
    const by = (order_by: string) => texts.ranked(exact("*"), { order_by, sort: "asc" });
    expect(await by("title")).toEqual(["2", "1", "4", "5", "3"]);
    expect(await by("id")).toEqual(["1", "2", "3", "4", "5"]);
    expect(await by("i")).toEqual(["1", "4", "3", "2", "5"]);
    expect(await by("f")).toEqual(["2", "4", "1", "3", "5"]);
    expect(await by("at")).toEqual(["2", "1", "3", "4", "5"]);
    expect(await by("on")).toEqual(["2", "1", "3", "4", "5"]);
  });
});
