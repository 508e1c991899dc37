import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfiguration, type RunningServer, startServer } from "../../src/server.js";
import { CACHE_FOLDER, debianCorpus, lines } from "../corpus.js";
import { type DrawnSearch, drawSearches } from "../service/drawn-searches.js";
import { OpenSearchPeer } from "../service/open-search-peer.js";
import { FINDLING_INDEX } from "../service/open-search-query.js";
import { median } from "../statistics.js";

export interface ClusterOptions {
  /** How many of the corpus are taken; absent: all. */
  readonly documents?: number;
  /** Searches of each kind, a quarter of which warm up. */
  readonly perKind: number;
  readonly seed: number;
  readonly out?: string;
}

interface KindFigures {
  readonly kind: string;
  readonly searches: number;
  /** Median milliseconds of a search, one after the other, with its facets and 20 documents. */
  readonly findling: number;
  readonly openSearch: number;
}

interface ClusterReport {
  readonly documents: number;
  /** Seconds until all documents are committed, or refreshed. */
  readonly writing: { readonly findling: number; readonly openSearch: number };
  readonly kinds: readonly KindFigures[];
}

const INDEX = "packages";
const DOCUMENTS_TOGETHER = 2_000;
const WARM_UP_SHARE = 0.25;

/**
 * The server before one OpenSearch node beside that node alone: the same documents, written by bulks of as many, and the
 * same searches, each asked once of both, in turn.
 */
export async function benchmarkCluster({
  documents: most,
  perKind,
  seed,
  out,
}: ClusterOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "findling-bench-cluster-"));
  const corpus = await partOfCorpus(folder, most);
  const peer = await OpenSearchPeer.start();
  let server: RunningServer | undefined;
  try {
    const { seconds: openSearchSeconds } = await peer.import(corpus);
    server = await startServer(
      {
        ...loadConfiguration({ env: {} }),
        port: 0,
        dataDir: folder,
        auth: false,
        logLevel: "error",
        backend: "opensearch",
        opensearchUrl: [peer.url],
        opensearchReplicas: 0,
      },
      { logDestination: process.stderr },
    );
    const { documents, seconds } = await write(server.url, corpus);
    const searches = await drawSearches(corpus, perKind, seed);
    const kinds: KindFigures[] = [];
    for (const kind of new Set(searches.map((search) => search.kind))) {
      const own = searches.filter((search) => search.kind === kind);
      kinds.push({ kind, searches: own.length, ...(await ask(own, server.url, peer)) });
    }
    const report = { documents, writing: { findling: seconds, openSearch: openSearchSeconds }, kinds };
    process.stdout.write(table(report));
    writeFileSync(out ?? join(CACHE_FOLDER, "cluster.json"), `${JSON.stringify(report, null, 2)}\n`);
  } finally {
    await server?.stop();
    peer.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A file of the corpus's first documents, or of all. */
async function partOfCorpus(folder: string, most = Infinity): Promise<string> {
  const { file } = debianCorpus();
  if (most === Infinity) return file;
  const first: string[] = [];
  for await (const line of lines(file)) {
    if (first.length === most) break;
    first.push(line);
  }
  const part = join(folder, "part.jsonl");
  writeFileSync(part, `${first.join("\n")}\n`);
  return part;
}

async function write(
  url: string,
  corpus: string,
): Promise<{ readonly documents: number; readonly seconds: number }> {
  await send(`${url}/index`, JSON.stringify({ index: { name: INDEX, ...FINDLING_INDEX } }));
  const start = performance.now();
  let documents = 0;
  let together: string[] = [];
  const sendTogether = async (): Promise<void> => {
    await send(`${url}/index/${INDEX}/documents`, `[${together.join()}]`);
    documents += together.length;
    together = [];
  };
  for await (const line of lines(corpus)) {
    together.push(line);
    if (together.length === DOCUMENTS_TOGETHER) await sendTogether();
  }
  if (together.length > 0) await sendTogether();
  await send(`${url}/index/${INDEX}/commit`, "{}");
  return { documents, seconds: (performance.now() - start) / 1000 };
}

async function ask(
  searches: readonly DrawnSearch[],
  url: string,
  peer: OpenSearchPeer,
): Promise<Pick<KindFigures, "findling" | "openSearch">> {
  const times = { findling: [] as number[], openSearch: [] as number[] };
  for (const [i, search] of searches.entries()) {
    const asks: (readonly [keyof typeof times, () => Promise<unknown>])[] = [
      ["findling", () => send(`${url}/index/${INDEX}/search`, JSON.stringify(search.findling))],
      ["openSearch", () => send(peer.url + peer.searchPath, JSON.stringify(search.openSearch))],
    ];
    for (const [who, run] of i % 2 === 0 ? asks : asks.reverse()) {
      const start = performance.now();
      await run();
      if (i >= searches.length * WARM_UP_SHARE) times[who].push(performance.now() - start);
    }
  }
  return { findling: median(times.findling), openSearch: median(times.openSearch) };
}

async function send(url: string, body: string): Promise<string> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text.slice(0, 500)}`);
  return text;
}

function table({ documents, writing, kinds }: ClusterReport): string {
  const rate = (seconds: number): string => (documents / seconds).toFixed(0);
  return [
    `${documents} documents: ${rate(writing.findling)} a second, ${rate(writing.openSearch)} by plain bulks ` +
      `(${(writing.openSearch / writing.findling).toFixed(2)} of them)`,
    "",
    "| search | Findling, ms | OpenSearch, ms | times |",
    "|---|---|---|---|",
    ...kinds.map(
      ({ kind, findling, openSearch }) =>
        `| ${kind} | ${findling.toFixed(1)} | ${openSearch.toFixed(1)} | ${(findling / openSearch).toFixed(2)} |`,
    ),
    "",
  ].join("\n");
}
