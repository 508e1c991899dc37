import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { allowedDistance } from "../../src/query/compile-fuzzy.js";
import { SeededRandom } from "../../tests/setup/seeded-random.js";
import { CORPORA_FOLDER } from "../corpus.js";
import { javaWithLucene } from "../java-environment.js";
import { pythonWithTantivy } from "../python-environment.js";
import { type JudgedCollection, loadCranfield } from "./cranfield.js";
import { anyOfWords, FindlingRanker, separateWords } from "./findling-ranker.js";
import { normalizedGain } from "./metrics.js";
import { loadMisspellings } from "./misspellings.js";
import { type PeerAnswer, type PeerJob, rankByPeer } from "./peer-ranker.js";
import { withTypos } from "./query-typos.js";
import { rarestWords } from "./rarest-words.js";
import {
  type AskedQuery,
  figuresOf,
  QUERY_KINDS,
  type RelevanceRow,
  relevanceTable,
  targetLines,
} from "./relevance-table.js";
import { measureTypoRecall, typoRecallLines } from "./typo-recall.js";

export interface RelevanceOptions {
  /** What the typos are drawn by; each further draw takes the next seed. */
  readonly seed: number;
  /** Sets of queries with typos, each drawn anew. */
  readonly draws: number;
  /** File for every query's nDCG@10, as JSON. */
  readonly out?: string;
}

/** Findling's ranking beside Tantivy's and Lucene's on judged queries, clean and with typos; recall of misspelt words. */
export async function benchmarkRelevance(options: RelevanceOptions): Promise<void> {
  const collection = loadCranfield();
  if (collection === null) {
    process.stderr.write(
      `no Cranfield collection in ${CORPORA_FOLDER}: only the recall of typos is measured\n`,
    );
  } else {
    await compareRankings(collection, options);
  }
  const { file, pairs } = loadMisspellings();
  process.stderr.write(`recall of ${pairs.length} misspellings\n`);
  const recall = await measureTypoRecall(pairs);
  process.stdout.write(`\n${typoRecallLines(recall, file)}\n`);
}

async function compareRankings(collection: JudgedCollection, options: RelevanceOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "findling-relevance-"));
  try {
    const rows: RelevanceRow[] = [];
    const rankers = {
      plain: await FindlingRanker.build(collection.documents, { isStemming: false }),
      stemmed: await FindlingRanker.build(collection.documents, { isStemming: true }),
    };
    const asked = drawQueries(collection, rankers.plain, options);
    const texts = asked.map(({ text }) => text);
    const judge = (engine: string, way: string, rank: (text: string) => readonly string[]): void => {
      process.stderr.write(`${engine}: ${way}\n`);
      rows.push({ engine, way, rankings: texts.map(rank) });
    };
    for (const [analysis, ranker] of Object.entries(rankers)) {
      const engine = analysis === "plain" ? "Findling" : "Findling, stemmed";
      judge(engine, "exact, as typed", (text) => ranker.rank("exact", anyOfWords(text)));
      judge(engine, "exact, any of the words", (text) => ranker.rank("exact", separateWords(text)));
      judge(engine, "fuzzy", (text) => ranker.rank("fuzzy", text));
      judge(engine, "dynamic", (text) => ranker.rank("dynamic", text));
    }
    const versions = [`Node ${process.versions.node}`];
    const peers = peerRuns(collection, rankers, texts);
    for (const { engine, way, command, job } of peers.runs) {
      process.stderr.write(`${engine}: ${way}\n`);
      const answer: PeerAnswer = rankByPeer(command, job, folder);
      rows.push({ engine, way, rankings: answer.rankings });
      const version = `${engine} ${answer.version}`;
      if (!versions.includes(version)) versions.push(version);
    }
    for (const ranker of Object.values(rankers)) await ranker.close();
    process.stdout.write(
      `Cranfield: ${collection.documents.length} documents, ${collection.queries.length} queries; typos: ` +
        `seed ${options.seed}, ${options.draws} draw(s) of every query; ${versions.join(", ")}; ` +
        `${cpus().length} × ${cpus()[0]?.model ?? "unknown processor"}\n`,
    );
    for (const kind of QUERY_KINDS) {
      const figures = figuresOf(rows, asked, kind);
      process.stdout.write(`\n## ${kind}\n\n${relevanceTable(figures)}\n\n${targetLines(figures)}\n`);
    }
    process.stdout.write(peers.missing.map((line) => `\n${line}\n`).join(""));
    if (options.out !== undefined) writeFileSync(options.out, JSON.stringify(perQuery(rows, asked)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Every question and its keywords, clean, and with one and two typos as often as asked. */
function drawQueries(
  collection: JudgedCollection,
  ranker: FindlingRanker,
  { seed, draws }: RelevanceOptions,
): AskedQuery[] {
  const isStopWord = (word: string): boolean => ranker.queryTokens(word).length === 0;
  const asked: AskedQuery[] = [];
  const texts = {
    questions: collection.queries.map(({ text }) => text.toLowerCase()),
    keywords: rarestWords(collection, ranker),
  };
  for (const kind of QUERY_KINDS) {
    const add = (typos: number, edited: (text: string) => string): void => {
      collection.queries.forEach(({ judgements }, i) => {
        asked.push({ kind, typos, text: edited(texts[kind][i]!), judgements });
      });
    };
    add(0, (text) => text);
    for (let draw = 0; draw < draws; draw++) {
      for (const typos of [1, 2]) {
        const random = new SeededRandom(seed + draw);
        add(typos, (text) => withTypos(text, typos, { isStopWord, random }));
      }
    }
  }
  return asked;
}

interface PeerRun {
  readonly engine: string;
  readonly way: string;
  readonly command: readonly string[];
  readonly job: PeerJob;
}

function peerRuns(
  { documents }: JudgedCollection,
  rankers: { readonly plain: FindlingRanker; readonly stemmed: FindlingRanker },
  texts: readonly string[],
): { readonly runs: readonly PeerRun[]; readonly missing: readonly string[] } {
  const raw = (analysis: string): PeerJob => ({ analysis, documents, queries: texts });
  const analysed = (ranker: FindlingRanker): PeerJob => ({
    analysis: "tokens",
    documents: documents.map(({ id, title, text }) => ({
      id,
      title: ranker.tokens(title).join(" "),
      text: ranker.tokens(text).join(" "),
    })),
    queries: texts.map((text) => ranker.queryTokens(text).join(" ")),
  });
  const fuzzy = (ranker: FindlingRanker): PeerJob => ({
    ...analysed(ranker),
    analysis: "fuzzy",
    queries: texts.map((text) =>
      ranker
        .queryTokens(text)
        .map((token) => `${token}~${allowedDistance(token)}`)
        .join(" "),
    ),
  });
  const tokens = {
    "Findling's tokens": analysed(rankers.plain),
    "Findling's tokens, stemmed": analysed(rankers.stemmed),
  };
  const runs: PeerRun[] = [];
  const missing: string[] = [];
  const java = javaWithLucene({
    mainClass: "LuceneRanker",
    sources: [fileURLToPath(new URL("./LuceneRanker.java", import.meta.url))],
    artifacts: ["core", "analysis-common"],
  });
  if ("missing" in java) {
    missing.push(`Lucene left out, ${java.missing} can't be had here: ${java.reason}`);
  } else {
    const jobs = {
      "its EnglishAnalyzer": raw("english"),
      ...tokens,
      "FuzzyQuery on Findling's tokens": fuzzy(rankers.plain),
      "FuzzyQuery on Findling's tokens, stemmed": fuzzy(rankers.stemmed),
    };
    for (const [way, job] of Object.entries(jobs)) {
      runs.push({ engine: "Lucene", way, command: java.command, job });
    }
  }
  const python = pythonWithTantivy();
  if (python === null) {
    missing.push("Tantivy left out: python3 with its venv module, or the package tantivy, can't be had here");
  } else {
    const command = [python, fileURLToPath(new URL("./tantivy_ranker.py", import.meta.url))];
    const jobs = {
      "its default tokenizer": raw("default"),
      "its en_stem tokenizer": raw("en_stem"),
      ...tokens,
    };
    for (const [way, job] of Object.entries(jobs)) runs.push({ engine: "Tantivy", way, command, job });
  }
  return { runs, missing };
}

function perQuery(rows: readonly RelevanceRow[], asked: readonly AskedQuery[]): unknown {
  return {
    queries: asked.map(({ kind, typos, text }) => ({ kind, typos, text })),
    ndcg10: rows.map(({ engine, way, rankings }) => ({
      engine,
      way,
      values: rankings.map((ranking, i) => normalizedGain(ranking, asked[i]!.judgements, 10)),
    })),
  };
}
