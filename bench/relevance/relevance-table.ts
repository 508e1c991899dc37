import { type Judgements, type RelevanceFigures, relevanceFigures } from "./metrics.js";

/** Whole questions as the collection has them, and the few words that people type. */
export const QUERY_KINDS = ["questions", "keywords"] as const;
export type QueryKind = (typeof QUERY_KINDS)[number];

export interface AskedQuery {
  readonly kind: QueryKind;
  /** Words with a typo. */
  readonly typos: number;
  readonly text: string;
  readonly judgements: Judgements;
}

export interface RelevanceRow {
  readonly engine: string;
  /** How the engine was asked. */
  readonly way: string;
  /** By query: ids, best first. */
  readonly rankings: readonly (readonly string[])[];
}

export interface RowFigures {
  readonly engine: string;
  readonly way: string;
  readonly clean: RelevanceFigures;
  readonly oneTypo: RelevanceFigures;
  readonly twoTypos: RelevanceFigures;
}

/** The figures of one kind of query. */
export function figuresOf(
  rows: readonly RelevanceRow[],
  asked: readonly AskedQuery[],
  kind: QueryKind,
): RowFigures[] {
  return rows.map(({ engine, way, rankings }) => {
    const figures = (typos: number): RelevanceFigures => {
      const chosen = asked.flatMap((query, i) => (query.kind === kind && query.typos === typos ? [i] : []));
      return relevanceFigures(
        chosen.map((i) => rankings[i]!),
        chosen.map((i) => asked[i]!.judgements),
      );
    };
    return { engine, way, clean: figures(0), oneTypo: figures(1), twoTypos: figures(2) };
  });
}

/** A Markdown table. */
export function relevanceTable(rows: readonly RowFigures[]): string {
  const lines = rows.map(({ engine, way, clean, oneTypo, twoTypos }) => {
    const figures = [
      clean.ndcg10,
      clean.map,
      clean.recall100,
      oneTypo.ndcg10,
      oneTypo.recall100,
      twoTypos.ndcg10,
      twoTypos.recall100,
    ];
    return `| ${engine} | ${way} | ${figures.map((figure) => figure.toFixed(4)).join(" | ")} |`;
  });
  return [
    "| engine | way | nDCG@10 | MAP | Recall@100 | 1 typo: nDCG@10 | Recall@100 | 2 typos: nDCG@10 | Recall@100 |",
    "|---|---|---|---|---|---|---|---|---|",
    ...lines,
  ].join("\n");
}

/** What Findling promises of these figures, each with whether it holds; promises about absent peers are left out. */
export function targetLines(rows: readonly RowFigures[]): string {
  const row = (engine: string, way: string): RowFigures | undefined =>
    rows.find((each) => each.engine === engine && each.way === way);
  const lines: string[] = [];
  const promise = (text: string, value: number, bound: string, holds: boolean): void => {
    lines.push(`- ${text}: ${value.toFixed(4)}, ${bound}: ${holds ? "holds" : "MISSED"}`);
  };
  const atLeast = (text: string, value: number, least: number): void =>
    promise(text, value, `at least ${least.toFixed(4)}`, value >= least);
  const stemmed = row("Findling, stemmed", "exact, any of the words")!;
  const lucene = row("Lucene", "its EnglishAnalyzer");
  const tantivy = row("Tantivy", "its default tokenizer");
  if (lucene !== undefined) {
    const least = lucene.clean.ndcg10 - LUCENE_TOLERANCE;
    atLeast("stemmed exact mode beside Lucene's EnglishAnalyzer, less 0.003", stemmed.clean.ndcg10, least);
  }
  if (tantivy !== undefined) {
    const { ndcg10 } = tantivy.clean;
    const value = stemmed.clean.ndcg10;
    promise(
      "stemmed exact mode beside Tantivy's default",
      value,
      `above ${ndcg10.toFixed(4)}`,
      value > ndcg10,
    );
  }
  for (const engine of ["Findling", "Findling, stemmed"]) {
    const exact = row(engine, "exact, any of the words")!.clean.ndcg10;
    const { clean, oneTypo } = row(engine, "fuzzy")!;
    atLeast(`${engine}: clean fuzzy over exact mode`, clean.ndcg10 / exact, FUZZY_SHARE);
    atLeast(`${engine}: fuzzy with one typo over clean`, oneTypo.ndcg10 / clean.ndcg10, ONE_TYPO_SHARE);
  }
  return lines.join("\n");
}

const LUCENE_TOLERANCE = 0.003;
const FUZZY_SHARE = 0.98;
const ONE_TYPO_SHARE = 0.9;
