/** The table takes each figure from its own queries, and the promises say when they are broken. */
import { expect, test } from "vitest";
import {
  type AskedQuery,
  figuresOf,
  type RelevanceRow,
  relevanceTable,
  targetLines,
} from "../../bench/relevance/relevance-table.js";

const judgements = new Map([["good", 1]]);
const asked: AskedQuery[] = [
  { kind: "questions", typos: 0, text: "a", judgements },
  { kind: "questions", typos: 1, text: "b", judgements },
  { kind: "questions", typos: 2, text: "c", judgements },
  { kind: "keywords", typos: 0, text: "d", judgements },
];
const SECOND = ["bad", "good"];

function row(engine: string, way: string, ...rankings: (readonly string[])[]): RelevanceRow {
  return { engine, way, rankings: [...rankings, []] };
}

const found = [["good"], SECOND, []];
const ROWS: RelevanceRow[] = ["Findling", "Findling, stemmed"].flatMap((engine) => [
  row(engine, "exact, any of the words", ...found),
  row(engine, "fuzzy", ...found),
]);

test("the table has a line for each way of asking, its figures by kind of query and typos", () => {
  const lines = relevanceTable(figuresOf(ROWS, asked, "questions")).split("\n");
  expect(lines).toHaveLength(2 + ROWS.length);
  expect(lines[3]).toBe(
    "| Findling | fuzzy | 1.0000 | 1.0000 | 1.0000 | 0.6309 | 1.0000 | 0.0000 | 0.0000 |",
  );
});

test("promises are measured on the figures, and left out without the peer", () => {
  const lines = targetLines(figuresOf(ROWS, asked, "questions")).split("\n");
  expect(lines).toEqual([
    "- Findling: clean fuzzy over exact mode: 1.0000, at least 0.9800: holds",
    "- Findling: fuzzy with one typo over clean: 0.6309, at least 0.9000: MISSED",
    "- Findling, stemmed: clean fuzzy over exact mode: 1.0000, at least 0.9800: holds",
    "- Findling, stemmed: fuzzy with one typo over clean: 0.6309, at least 0.9000: MISSED",
  ]);
});

test("Findling with stemming stands beside Lucene's English analysis and Tantivy's default", () => {
  const weak = ROWS.map((each) => ({ ...each, rankings: [SECOND, SECOND, SECOND, []] }));
  const peers = [
    row("Lucene", "its EnglishAnalyzer", ...found),
    row("Tantivy", "its default tokenizer", SECOND, [], []),
  ];
  expect(
    targetLines(figuresOf([...weak, ...peers], asked, "questions"))
      .split("\n")
      .slice(0, 2),
  ).toEqual([
    "- stemmed exact mode beside Lucene's EnglishAnalyzer, less 0.003: 0.6309, at least 0.9970: MISSED",
    "- stemmed exact mode beside Tantivy's default: 0.6309, above 0.6309: MISSED",
  ]);
});
