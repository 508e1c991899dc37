import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { SeededRandom } from "../../tests/setup/seeded-random.js";
import { debianCorpus } from "../corpus.js";
import { COMPILED_FINDLING } from "../peers/findling-program.js";
import { misspelt } from "../peers/misspelt.js";
import { machine } from "../peers/peer-report.js";
import { askOnceInTurns, type LoadFigures, type LoadTarget } from "../service/load.js";
import { OpenSearchPeer } from "../service/open-search-peer.js";
import { KEY, ServerUnderTest } from "../summaries/server-under-test.js";
import { titleWords } from "./title-words.js";

export interface TypingOptions {
  /** Searches of each kind, each of which is asked once. */
  readonly perKind: number;
  /** Others of each kind that are asked before. */
  readonly warmUps: number;
  readonly connections: number;
  readonly seed: number;
  readonly dist?: string;
  /** Whether the server keeps everything in an OpenSearch node of its own, whose processor time counts as well. */
  readonly opensearch?: boolean;
}

const INDEX = "packages";
const TEXT = { type: "text" };
const SCHEMA = {
  name: INDEX,
  search_fields: ["name", "title", "description"],
  fields: { id: TEXT, name: TEXT, title: TEXT, description: TEXT },
};
/** Letters of the last word that are typed, at most, of short and long beginnings; at least one is missing. */
const BEGUN_MAX = 4;
const LONG_BEGUN_MIN = 5;
const LONG_BEGUN_MAX = 8;
const HITS = 10;
/** A server is quiet once it has taken no more than this part of a core for so long. */
const QUIET_SECONDS = 6;
const QUIET_SHARE = 0.02;
const QUIET_AFTER_SECONDS_MAX = 120;

/** Two neighbouring words of a title, as they are sent. */
type Kind = readonly [name: string, bodyOf: (first: string, second: string) => object];

/**
 * What a search box sends while someone types, beside the same words whole, each search asked once: two words in exact
 * mode, in fuzzy mode, the second one begun, by few letters or more of them, and that with a typo in the first.
 */
export async function benchmarkTyping(options: TypingOptions): Promise<void> {
  const corpus = debianCorpus();
  const folder = mkdtempSync(join(tmpdir(), "findling-typing-"));
  const dist = options.dist ?? COMPILED_FINDLING;
  const node = options.opensearch === true ? await OpenSearchPeer.start() : undefined;
  let server: ServerUnderTest | undefined;
  try {
    server = await ServerUnderTest.start({
      dist,
      dataFolder: folder,
      profile: undefined,
      environment: node === undefined ? {} : before(node),
    });
    const schema = join(folder, "schema.json");
    writeFileSync(schema, JSON.stringify(SCHEMA));
    server.import(corpus.file, INDEX, folder, schema);
    const cpuSeconds = (): number => server!.cpuSeconds() + (node?.cpuSeconds() ?? 0);
    await untilQuiet(cpuSeconds);
    const figures = await measuredKinds(server.url, cpuSeconds, corpus.file, options);
    const documents = corpus.isWhole ? "Debian's packages" : "the bundled sample of Debian's packages";
    process.stdout.write(
      `${documents}, ${options.connections} connection(s), seed ${options.seed}, ${machine()}\n\n${tableOf(figures)}\n`,
    );
  } finally {
    await server?.stop();
    node?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function before(node: OpenSearchPeer): NodeJS.ProcessEnv {
  return {
    FINDLING_BACKEND: "opensearch",
    FINDLING_OPENSEARCH_URL: node.url,
    FINDLING_OPENSEARCH_REPLICAS: "0",
  };
}

/** Merges go on behind an import, and would take their processor time beside the searches. */
async function untilQuiet(cpuSeconds: () => number): Promise<void> {
  const end = performance.now() + QUIET_AFTER_SECONDS_MAX * 1000;
  let before: number;
  do {
    before = cpuSeconds();
    await pause(QUIET_SECONDS * 1000);
  } while (cpuSeconds() - before > QUIET_SECONDS * QUIET_SHARE && performance.now() < end);
}

async function measuredKinds(
  url: string,
  cpuSeconds: () => number,
  corpus: string,
  { perKind, warmUps, connections, seed }: TypingOptions,
): Promise<ReadonlyMap<string, LoadFigures>> {
  const kinds = kindsBy(new SeededRandom(seed));
  const pairs = await pairsOf(corpus, kinds.length * (perKind + warmUps), seed);
  const targets = kinds.map(([name, bodyOf], kind): LoadTarget => {
    // No pair is asked in two kinds, so that none finds what another one has looked up.
    const own = pairs.slice(kind * (perKind + warmUps), (kind + 1) * (perKind + warmUps));
    return {
      name,
      url,
      headers: { authorization: KEY, "content-type": "application/json" },
      requests: own.map(([first, second]) => ({
        path: `/index/${INDEX}/search`,
        body: JSON.stringify({ query: bodyOf(first, second), limit: HITS }),
      })),
      cpuSeconds,
    };
  });
  const places = Array.from({ length: warmUps + perKind }, (_, place) => place);
  await askOnceInTurns(targets, places.slice(0, warmUps), connections);
  return askOnceInTurns(targets, places.slice(warmUps), connections);
}

function kindsBy(random: SeededRandom): readonly Kind[] {
  const begun = (word: string, most = BEGUN_MAX): string => word.slice(0, Math.min(most, word.length - 1));
  const long = (): number => LONG_BEGUN_MIN + random.below(LONG_BEGUN_MAX - LONG_BEGUN_MIN + 1);
  const typed = (ctx: string): object => ({ fuzzy: { ctx, as_you_type: true } });
  return [
    ["two words, exact", (first, second) => ({ exact: { ctx: `${first} AND ${second}` } })],
    ["two words, fuzzy", (first, second) => ({ fuzzy: { ctx: `${first} ${second}` } })],
    ["second word begun", (first, second) => typed(`${first} ${begun(second)}`)],
    ["begun, five to eight letters", (first, second) => typed(`${first} ${begun(second, long())}`)],
    ["begun, and a typo before", (first, second) => typed(`${misspelt(first, 1, random)} ${begun(second)}`)],
  ];
}

/** Neighbours in titles, no two alike, in any order. */
async function pairsOf(
  corpus: string,
  wanted: number,
  seed: number,
): Promise<readonly (readonly [string, string])[]> {
  const pairs = new Map<string, readonly [string, string]>();
  for await (const words of titleWords(corpus)) {
    for (let i = 1; i < words.length; i++) {
      const pair = [words[i - 1]!, words[i]!] as const;
      if (pair.every((word) => /^[a-z]{4,}$/.test(word))) pairs.set(pair.join(" "), pair);
    }
  }
  if (pairs.size < wanted) throw new Error(`the corpus has ${pairs.size} pairs of words, not ${wanted}`);
  return new SeededRandom(seed).shuffled([...pairs.values()]).slice(0, wanted);
}

function tableOf(figures: ReadonlyMap<string, LoadFigures>): string {
  const fuzzily = figures.get("two words, fuzzy")!.cpuMicroseconds;
  const rows = [...figures].map(
    ([kind, { p50, p99, cpuMicroseconds }]) =>
      `| ${kind} | ${p50.toFixed(2)} | ${p99.toFixed(2)} | ${Math.round(cpuMicroseconds)} | ${(cpuMicroseconds / fuzzily).toFixed(2)} |`,
  );
  const header =
    "| searches | p50 ms | p99 ms | processor µs | beside two words, fuzzy |\n|---|---|---|---|---|";
  return [header, ...rows].join("\n");
}
