import { describe, expect, test } from "vitest";
import { tokensOf } from "./analyzer.js";
import { createAnalyzer } from "./create-analyzer.js";
import { SynonymMap } from "./synonym-map.js";

const plain = createAnalyzer({ version: 1 });
const stemming = createAnalyzer({ version: 1, stemming: "en", foldDiacritics: true });

function found(lists: Readonly<Record<string, readonly string[]>>, text: string, analyzer = plain): string[] {
  return new SynonymMap(lists, analyzer)
    .occurrences(tokensOf(analyzer, text))
    .map(
      ({ start, end, terms }) =>
        `${start}-${end}: ${terms.map((run) => run.map(({ term, position }) => `${term}@${position}`).join(" ")).join(", ")}`,
    );
}

describe("SynonymMap", () => {
  test("finds every key in the text, overlapping ones too, by start and length", () => {
    const lists = { new: ["fresh"], "new york": ["nyc", "big apple"], "york hotel": ["inn"] };
    expect(found(lists, "a New-York hotel, new")).toEqual([
      "1-2: fresh@0",
      "1-3: nyc@0, big@0 apple@1",
      "2-4: inn@0",
      "4-5: fresh@0",
    ]);
    expect(found(lists, "york new")).toEqual(["1-2: fresh@0"]);
    expect(found({}, "new york")).toEqual([]);
  });

  test("compares what analysis makes of both sides, and joins keys and terms that it makes equal", () => {
    const lists = { cafés: ["bars"], café: ["bar", "Cafe", "tea-rooms"] };
    expect(found(lists, "the CAFES", stemming)).toEqual(["1-2: bar@0, tea@0 room@1"]);
    expect(found(lists, "cafe")).toEqual([]);
  });

  test("takes keys and terms without tokens for nothing", () => {
    expect(found({ "&": ["and"], and: ["&", "…"], or: [] }, "& and or")).toEqual([]);
  });

  test("a token that was dropped for its length interrupts a run, and leaves a gap in a term", () => {
    const long = "x".repeat(300);
    expect(found({ "a b": ["c"] }, `a ${long} b`)).toEqual([]);
    expect(found({ [`a ${long} b`]: ["c"] }, "a b")).toEqual([]);
    expect(found({ k: [`a ${long} b`] }, "k")).toEqual(["0-1: a@0 b@2"]);
  });

  test("names that every object has are no keys", () => {
    expect(found({ a: ["b"] }, "constructor __proto__ toString")).toEqual([]);
    const lists = Object.fromEntries([
      ["__proto__", ["other"]],
      ["constructor", ["maker"]],
    ]);
    expect(found(lists, "constructor __proto__")).toEqual(["0-1: maker@0", "1-2: other@0"]);
  });
});
