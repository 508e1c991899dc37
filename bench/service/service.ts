import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { CACHE_FOLDER, debianCorpus } from "../corpus.js";
import { COMPILED_FINDLING, FINDLING_VERSION } from "../peers/findling-program.js";
import { machine, reportText } from "../peers/peer-report.js";
import { bytesUnder, cpuSecondsOf, memoryOf } from "../process-figures.js";
import { Part } from "../summaries/part.js";
import { KEY, ServerUnderTest } from "../summaries/server-under-test.js";
import { type DrawnSearch, drawSearches } from "./drawn-searches.js";
import type { EmptyRouteCommand, EmptyRouteResult } from "./empty-route-process.js";
import { type LoadTarget, loadInTurns } from "./load.js";
import { OpenSearchPeer } from "./open-search-peer.js";
import {
  ALL_KINDS,
  CHEAP_KINDS,
  type KindFigures,
  type ServerFigures,
  type ServiceReport,
  serviceTables,
} from "./service-report.js";

export interface ServiceOptions {
  readonly seconds: number;
  readonly rounds: number;
  /** Seconds of all kinds that each server is asked before anything counts. */
  readonly warmUp: number;
  readonly connections: number;
  readonly perKind: number;
  readonly seed: number;
  readonly dist?: string;
  /** Beginnings of the kinds' names; all unless given. */
  readonly kinds?: readonly string[];
  /** Whether OpenSearch takes part. */
  readonly opensearch: boolean;
  /** Where V8's profiler of the server writes. */
  readonly profile?: string;
  readonly out?: string;
}

const INDEX = "packages";
const SEARCH_PATH = `/index/${INDEX}/search`;

/** What the benchmark knows of a search's answer. */
interface Answer {
  readonly count: number;
  readonly bytes: number;
  readonly openSearchCount: number | null;
}

/**
 * The server as a user runs it, beside OpenSearch with the same documents and searches of the same meaning,
 * and beside an empty Fastify route whose answers are as long as Findling's.
 */
export async function benchmarkService(options: ServiceOptions): Promise<void> {
  const corpus = debianCorpus();
  const drawn = await drawSearches(corpus.file, options.perKind, options.seed);
  const searches = drawn.filter(
    ({ kind }) => options.kinds?.some((beginning) => kind.startsWith(beginning)) ?? true,
  );
  const folder = mkdtempSync(join(tmpdir(), "findling-service-"));
  const emptyRoute = new Part("../service/empty-route-process.ts");
  let openSearch: OpenSearchPeer | null = null;
  let server: ServerUnderTest | null = null;
  /** Keeps no answers: every search is searched anew. */
  let forgetful: ServerUnderTest | null = null;
  try {
    const missing: string[] = [];
    const servers: ServerFigures[] = [];
    const start = (name: string, environment: NodeJS.ProcessEnv): Promise<ServerUnderTest> =>
      ServerUnderTest.start({
        dist: options.dist ?? COMPILED_FINDLING,
        dataFolder: join(folder, name),
        profile: options.profile,
        environment,
      });
    server = await start("data", {});
    servers.push(await importedIntoFindling(server, corpus.file, folder));
    forgetful = await start("forgetful", { FINDLING_ANSWER_CACHE_MB: "0" });
    forgetful.import(corpus.file, INDEX, folder);
    if (options.opensearch) {
      openSearch = await OpenSearchPeer.start().catch((error: unknown) => {
        missing.push(`OpenSearch: ${String(error).split("\n", 1)[0]}`);
        return null;
      });
      if (openSearch !== null) servers.push(await importedIntoOpenSearch(openSearch, corpus.file));
    }
    const answers: Answer[] = [];
    for (const search of searches) answers.push(await answerOf(search, server, openSearch));
    const targets = [
      findlingTarget("findling", forgetful, searches),
      findlingTarget("findling again", server, searches),
      await emptyRouteTarget(emptyRoute, searches, answers),
      ...(openSearch === null ? [] : [openSearchTarget(openSearch, searches)]),
    ];
    const report: ServiceReport = {
      date: new Date().toISOString().slice(0, 16),
      machine: machine(),
      node: process.versions.node,
      seed: options.seed,
      connections: options.connections,
      seconds: options.seconds,
      rounds: options.rounds,
      corpus: corpus.isWhole ? "Debian's packages" : "the bundled sample of Debian's packages",
      documents: await documentCount(server),
      servers,
      missing,
      kinds: await measuredKinds(targets, searches, answers, options),
    };
    const file = options.out ?? join(CACHE_FOLDER, "results", `service-${report.date}.json`);
    mkdirSync(dirname(resolve(file)), { recursive: true });
    writeFileSync(file, reportText(report));
    process.stdout.write(`${serviceTables(report)}\n\nfigures: ${file}\n`);
  } finally {
    await server?.stop();
    await forgetful?.stop();
    openSearch?.stop();
    await emptyRoute.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measuredKinds(
  targets: readonly LoadTarget[],
  searches: readonly DrawnSearch[],
  answers: readonly Answer[],
  options: ServiceOptions,
): Promise<KindFigures[]> {
  const everything = [...searches.keys()];
  const kinds = new Map<string, number[]>();
  for (const place of everything) {
    const { kind } = searches[place]!;
    kinds.set(kind, [...(kinds.get(kind) ?? []), place]);
  }
  // Mixes come last, when the engines' compilers have seen every kind for long.
  kinds.set(
    CHEAP_KINDS,
    everything.filter((place) => searches[place]!.isCheap),
  );
  kinds.set(ALL_KINDS, everything);
  process.stderr.write("warming up\n");
  await loadInTurns(targets, everything, { ...options, seconds: options.warmUp, rounds: 1 });
  const measured: KindFigures[] = [];
  for (const [kind, places] of kinds) {
    if (places.length === 0) continue;
    process.stderr.write(`${kind}\n`);
    // What the kind needs is compiled while it is asked for the first time.
    await loadInTurns(targets, places, { ...options, rounds: 1 });
    const figures = await loadInTurns(targets, places, options);
    const own = places.map((place) => answers[place]!);
    const mean = (of: (answer: Answer) => number): number =>
      own.reduce((sum, answer) => sum + of(answer), 0) / own.length;
    const openSearch = figures.get("opensearch") ?? null;
    const row: KindFigures = {
      kind,
      searches: places.length,
      equalCounts:
        openSearch === null
          ? null
          : own.filter(({ count, openSearchCount }) => count === openSearchCount).length,
      matches: mean(({ count }) => count),
      answerBytes: mean(({ bytes }) => bytes),
      findling: figures.get("findling")!,
      findlingAgain: figures.get("findling again")!,
      openSearch,
      emptyRoute: figures.get("empty route")!,
    };
    // On top of the table.
    if (kind === ALL_KINDS || kind === CHEAP_KINDS) measured.unshift(row);
    else measured.push(row);
  }
  return measured;
}

async function importedIntoFindling(
  server: ServerUnderTest,
  corpus: string,
  folder: string,
): Promise<ServerFigures> {
  const start = performance.now();
  server.import(corpus, INDEX, folder);
  const importSeconds = (performance.now() - start) / 1000;
  const memory = memoryOf(server.pid);
  return {
    name: "Findling",
    version: FINDLING_VERSION,
    importSeconds,
    diskBytes: bytesUnder(join(folder, "data")),
    residentBytes: memory.now,
    peakBytes: memory.peak,
  };
}

async function importedIntoOpenSearch(peer: OpenSearchPeer, corpus: string): Promise<ServerFigures> {
  process.stderr.write("importing into OpenSearch\n");
  const { seconds } = await peer.import(corpus);
  return {
    name: "OpenSearch",
    version: peer.version,
    importSeconds: seconds,
    diskBytes: peer.bytesOnDisk(),
    residentBytes: peer.residentBytes(),
  };
}

async function answerOf(
  search: DrawnSearch,
  server: ServerUnderTest,
  openSearch: OpenSearchPeer | null,
): Promise<Answer> {
  const response = await fetch(server.url + SEARCH_PATH, {
    method: "POST",
    headers: { authorization: KEY, "content-type": "application/json" },
    body: JSON.stringify(search.findling),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} for ${JSON.stringify(search.findling)}: ${text}`);
  const { data } = JSON.parse(text) as { readonly data: { readonly count: number } };
  const openSearchCount = (await openSearch?.count(search.openSearch)) ?? null;
  if (openSearchCount !== null && openSearchCount !== data.count) {
    const asked = JSON.stringify(search.findling);
    process.stderr.write(`${asked} matches ${data.count} here, ${openSearchCount} in OpenSearch\n`);
  }
  return { count: data.count, bytes: Buffer.byteLength(text), openSearchCount };
}

async function documentCount(server: ServerUnderTest): Promise<number> {
  const response = await fetch(`${server.url}/index/${INDEX}/stats`, { headers: { authorization: KEY } });
  const { data } = (await response.json()) as { readonly data: { readonly document_count: number } };
  return data.document_count;
}

function findlingTarget(name: string, server: ServerUnderTest, searches: readonly DrawnSearch[]): LoadTarget {
  return {
    name,
    url: server.url,
    headers: { authorization: KEY, "content-type": "application/json" },
    requests: searches.map(({ findling }) => ({ path: SEARCH_PATH, body: JSON.stringify(findling) })),
    cpuSeconds: () => server.cpuSeconds(),
  };
}

function openSearchTarget(peer: OpenSearchPeer, searches: readonly DrawnSearch[]): LoadTarget {
  return {
    name: "opensearch",
    url: peer.url,
    headers: { "content-type": "application/json" },
    requests: searches.map(({ openSearch }) => ({ path: peer.searchPath, body: JSON.stringify(openSearch) })),
    cpuSeconds: () => peer.cpuSeconds(),
  };
}

/** Asked with Findling's bodies, so that it has as much to read. */
async function emptyRouteTarget(
  part: Part<EmptyRouteCommand>,
  searches: readonly DrawnSearch[],
  answers: readonly Answer[],
): Promise<LoadTarget> {
  const { url, pid } = await part.ask<EmptyRouteResult>({ answerBytes: answers.map(({ bytes }) => bytes) });
  return {
    name: "empty route",
    url,
    headers: { authorization: KEY, "content-type": "application/json" },
    requests: searches.map(({ findling }, place) => ({ path: `/${place}`, body: JSON.stringify(findling) })),
    cpuSeconds: () => cpuSecondsOf(pid),
  };
}
