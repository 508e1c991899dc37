/**
 * The fresh benchmark asks every query once in a process: no query is timed that a warm-up or another class holds, and
 * the same seed draws the same ones. Its figures are ratios query by query, with the quicker of the base's two ways to a
 * count; goals are passed, missed or not measured. Over HTTP no search is in two loads.
 */
import { describe, expect, test } from "vitest";
import { freshTable } from "../../bench/fresh/fresh-figures.js";
import { drawFreshClasses, type FreshClass, identity } from "../../bench/fresh/fresh-queries.js";
import { engineGoals, type FreshReport } from "../../bench/fresh/fresh-report.js";
import { goalsTable } from "../../bench/fresh/goals-table.js";
import type { InputDigest } from "../../bench/peers/input-digest.js";
import type { PeerQuery } from "../../bench/peers/peer-query.js";
import { Samples } from "../../bench/peers/rounds.js";
import type { DrawnSearch } from "../../bench/service/drawn-searches.js";
import { ALL_KINDS, CHEAP_KINDS, shareSearches } from "../../bench/service/search-shares.js";
import { SeededRandom } from "../setup/seeded-random.js";

/** 100,000 documents; words of falling frequency, written beside frequent, middling and like ones; all have a path. */
const DIGEST: InputDigest = (() => {
  const docCount = 100_000;
  const random = new SeededRandom(1);
  const letters = (length: number): string =>
    Array.from({ length }, () => random.pick("abcdefghijklmnopqrstuvwxyz")).join("");
  const words = Array.from({ length: 1500 }, (_, i) => letters(4 + (i % 6)));
  const docFreqs = words.map((_, i) => Math.max(1, Math.floor(docCount * 0.5 * 0.99 ** i)));
  const texts = words.map((_, i) =>
    Array.from({ length: 60 }, (_unused, k) => words[k % 3 === 0 ? (i + k) % 180 : (i + 37 * k) % 510]!).join(
      " ",
    ),
  );
  const paths = words.map((_, i) => [`/a${i % 5}/b${i % 7}/c${i % 3}`]);
  return { docCount, words, docFreqs, texts, paths, numbers: Array.from({ length: 20_000 }, (_, i) => i) };
})();

const draw = (seed: number): FreshClass[] => drawFreshClasses(DIGEST, { seed, perClass: 40, warmUps: 20 });

describe("queries", () => {
  const classes = draw(7);

  test("are drawn for every class, forty to be timed and others to warm up with", () => {
    expect(classes).toHaveLength(38);
    for (const { name, measured, warmUps } of classes) {
      expect(measured.length, name).toBe(40);
      expect(warmUps.length, name).toBeGreaterThanOrEqual(10);
    }
  });

  test("are in one place only, whatever the order of their words", () => {
    const keys = classes.flatMap(({ measured, warmUps }) => [...measured, ...warmUps].map(identity));
    expect(new Set(keys).size).toBe(keys.length);
    expect(identity({ kind: "or", terms: ["a", "b"] })).toBe(identity({ kind: "or", terms: ["b", "a"] }));
    const phrase: PeerQuery = { kind: "phrase", terms: ["a", "b"] };
    expect(identity(phrase)).not.toBe(identity({ kind: "phrase", terms: ["b", "a"] }));
  });

  test("are the same for a seed, others for another", () => {
    expect(draw(7)).toEqual(classes);
    expect(draw(8)).not.toEqual(classes);
  });

  test("ask in ten to thirty different words, and for pages of words with a path that a document has", () => {
    const named = new Map(classes.map(({ name, measured }) => [name, measured]));
    for (const { kind, terms } of named.get("question")!) {
      expect(kind).toBe("or");
      expect(new Set(terms).size).toBe(terms!.length);
      expect(terms!.length).toBeGreaterThanOrEqual(10);
      expect(terms!.length).toBeLessThanOrEqual(30);
    }
    const paths = new Set(DIGEST.paths.flat());
    for (const { kind, terms, path } of named.get("shop_page")!) {
      expect(kind).toBe("filtered_page");
      expect(terms!.length).toBeGreaterThanOrEqual(1);
      expect([...paths].some((known) => known === path || known.startsWith(`${path}/`))).toBe(true);
    }
  });
});

const ONE_CLASS: FreshClass = {
  name: "term_f",
  measured: [
    { kind: "term", terms: ["a"] },
    { kind: "term", terms: ["b"] },
  ],
  warmUps: [{ kind: "term", terms: ["c"] }],
};

/** Times of both engines, by place. */
function samples(): Samples {
  const taken = new Samples();
  const add = (engine: string, mode: "top10" | "one_pass" | "two_passes", times: readonly number[]): void => {
    for (const [place, time] of times.entries()) taken.add(engine, "fresh", mode, place, time);
  };
  add("tantivy", "top10", [10, 10]);
  add("tantivy", "one_pass", [40, 10]);
  add("tantivy", "two_passes", [20, 30]);
  add("findling", "top10", [20, 5]);
  add("findling", "one_pass", [10, 10]);
  taken.add("tantivy", "hot", "top10", 2, 8);
  taken.add("findling", "hot", "top10", 2, 2);
  return taken;
}

describe("figures", () => {
  const { classes, all } = freshTable("findling", "tantivy", [ONE_CLASS], samples());

  test("are geometric means and extremes of the single queries' ratios", () => {
    const { top10 } = classes["term_f"]!;
    expect(top10.ratio).toBeCloseTo(1);
    expect(top10.p95).toBe(2);
    expect(top10.worst).toBe(2);
    expect(top10.worstQuery).toContain('"a"');
    expect(top10.slower).toBe(0.5);
    expect(all.top10.ratio).toBeCloseTo(1);
  });

  test("take the quicker of the base's ways to a count, query by query", () => {
    expect(classes["term_f"]!.count.ratio).toBeCloseTo(Math.sqrt(0.5));
    expect(classes["term_f"]!.count.worst).toBe(1);
  });

  test("have hot ones beside them, of the warm-up's queries", () => {
    expect(classes["term_f"]!.top10.hot).toBeCloseTo(0.25);
  });

  test("are held against goals", () => {
    const report = { corpus: "debian", classes, all } as unknown as FreshReport;
    const table = goalsTable(engineGoals(report));
    expect(table).toContain("| all classes, ten best | ≤ 0.65 | 1.00 | **miss** |");
    expect(table).toContain(
      "| slowest class, with the count | ≤ 1.2 (further: 1) | 0.71 | pass, the further one too | term_f |",
    );
    expect(goalsTable([{ label: "x", bar: 2, isAtLeast: true, value: 2 }])).toContain("| pass |");
    expect(goalsTable([{ label: "x", bar: 2, isAtLeast: true, value: Number.NaN }])).toContain(
      "not measured",
    );
  });
});

describe("searches over HTTP", () => {
  const kinds = ["exact", "fuzzy"];
  const searches: DrawnSearch[] = kinds.flatMap((kind) =>
    Array.from({ length: 100 }, (_, i) => ({
      kind,
      isCheap: kind === "exact",
      findling: { i },
      openSearch: {},
    })),
  );
  const { warmUp, rows } = shareSearches(searches, new SeededRandom(1));

  test("are in one load at most", () => {
    const places = [
      ...[...warmUp.values()].flat(),
      ...rows.flatMap(({ many, single }) => [...many, ...single]),
    ];
    expect(new Set(places).size).toBe(places.length);
  });

  test("are as many of each kind in the mix of all, and cheap ones in the cheap one", () => {
    const named = new Map(rows.map((row) => [row.kind, row.many]));
    const kindsOf = (row: string): string[] => named.get(row)!.map((place) => searches[place]!.kind);
    expect(kindsOf(ALL_KINDS).toSorted()).toEqual([
      ...Array.from({ length: 10 }, () => "exact"),
      ...Array.from({ length: 10 }, () => "fuzzy"),
    ]);
    expect(new Set(kindsOf(CHEAP_KINDS))).toEqual(new Set(["exact"]));
  });
});
