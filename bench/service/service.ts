import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { SeededRandom } from "../../tests/setup/seeded-random.js";
import { CACHE_FOLDER, debianCorpus } from "../corpus.js";
import { COMPILED_FINDLING, FINDLING_VERSION } from "../peers/findling-program.js";
import { machine, reportText } from "../peers/peer-report.js";
import { bytesUnder, liveCpuSecondsOf, memoryOf } from "../process-figures.js";
import { Part } from "../summaries/part.js";
import { KEY, ServerUnderTest } from "../summaries/server-under-test.js";
import { type DrawnSearch, drawSearches } from "./drawn-searches.js";
import type { EmptyRouteCommand, EmptyRouteResult } from "./empty-route-process.js";
import { askOnceInTurns, askRepeatedly, type LoadFigures, type LoadTarget } from "./load.js";
import { OpenSearchPeer } from "./open-search-peer.js";
import { FINDLING_INDEX } from "./open-search-query.js";
import { type RowShares, type SearchShares, shareSearches } from "./search-shares.js";
import {
  type FreshServiceReport,
  type KindFigures,
  type ServerFigures,
  type ServerLoads,
  serviceTables,
} from "./service-report.js";

export interface ServiceOptions {
  readonly connections: number;
  /** Searches of each kind, each of which is asked once. */
  readonly perKind: number;
  readonly seed: number;
  readonly dist?: string;
  /** Another compiled server, measured beside it. */
  readonly also?: string;
  /** Beginnings of the kinds' names; all unless given. */
  readonly kinds?: readonly string[];
  /** Whether OpenSearch takes part. */
  readonly opensearch: boolean;
  /** Where V8's profiler of the server writes. */
  readonly profile?: string;
  readonly out?: string;
}

const INDEX = "packages";
const SCHEMA = "schema.json";
const SEARCH_PATH = `/index/${INDEX}/search`;
/** Seconds of all kinds that each server is asked before anything counts. */
const WARM_UP_SECONDS = 12;
/** Searches of each kind that are looked at, and asked again and again for the hot figures. */
const PROBED_PER_KIND = 40;
const HOT_SECONDS = 1;
/** Builds that kept answers to searches that come again did so unless this is 0. */
const WITHOUT_ANSWER_CACHE = { FINDLING_ANSWER_CACHE_MB: "0" };

/** What the benchmark knows of a search's answer. */
interface Answer {
  readonly count: number;
  readonly bytes: number;
  readonly openSearchCount: number | null;
}

/** Prints and writes what `measureService` measures. */
export async function benchmarkService(options: ServiceOptions): Promise<void> {
  const report = await measureService(options);
  const file = options.out ?? join(CACHE_FOLDER, "results", `service-${report.date}.json`);
  mkdirSync(dirname(resolve(file)), { recursive: true });
  writeFileSync(file, reportText(report));
  process.stdout.write(`${serviceTables(report)}\n\nfigures: ${file}\n`);
}

/**
 * The server as a user runs it, beside OpenSearch with the same documents and searches of the same meaning, and beside
 * an empty Fastify route whose answers are about as long as Findling's. Each search is asked once.
 */
export async function measureService(options: ServiceOptions): Promise<FreshServiceReport> {
  const corpus = debianCorpus();
  const drawn = await drawSearches(corpus.file, options.perKind, options.seed);
  const searches = drawn.filter(
    ({ kind }) => options.kinds?.some((beginning) => kind.startsWith(beginning)) ?? true,
  );
  const shares = shareSearches(searches, new SeededRandom(options.seed));
  const folder = mkdtempSync(join(tmpdir(), "findling-service-"));
  const emptyRoute = new Part("../service/empty-route-process.ts");
  const findlings: ServerUnderTest[] = [];
  let openSearch: OpenSearchPeer | null = null;
  try {
    const missing: string[] = corpus.isWhole
      ? []
      : ["the whole corpus: these are the bundled sample's figures"];
    const servers: ServerFigures[] = [];
    const start = async (
      name: string,
      dist: string,
      environment: NodeJS.ProcessEnv,
    ): Promise<ServerUnderTest> => {
      const server = await ServerUnderTest.start({
        dist,
        dataFolder: join(folder, name),
        profile: options.profile,
        environment,
      });
      findlings.push(server);
      return server;
    };
    const dist = options.dist ?? COMPILED_FINDLING;
    writeFileSync(join(folder, SCHEMA), JSON.stringify({ name: INDEX, ...FINDLING_INDEX }));
    const server = await start("data", dist, {});
    servers.push(await importedIntoFindling(server, corpus.file, folder));
    const beside =
      options.also === undefined ? null : await start("beside", options.also, WITHOUT_ANSWER_CACHE);
    beside?.import(corpus.file, INDEX, folder, SCHEMA);
    if (options.opensearch) {
      openSearch = await OpenSearchPeer.start().catch((error: unknown) => {
        missing.push(`OpenSearch: ${String(error).split("\n", 1)[0]}`);
        return null;
      });
      if (openSearch !== null) servers.push(await importedIntoOpenSearch(openSearch, corpus.file));
    }
    const probed = await probe(searches, shares, server, openSearch);
    const targets = [
      findlingTarget("findling", server, searches),
      ...(beside === null ? [] : [findlingTarget("beside", beside, searches)]),
      await emptyRouteTarget(emptyRoute, searches, probed),
      ...(openSearch === null ? [] : [openSearchTarget(openSearch, searches)]),
    ];
    return {
      date: new Date().toISOString().slice(0, 16),
      machine: machine(),
      node: process.versions.node,
      seed: options.seed,
      connections: options.connections,
      corpus: corpus.isWhole ? "Debian's packages" : "the bundled sample of Debian's packages",
      documents: await documentCount(server),
      servers,
      missing,
      kinds: await measuredKinds(targets, shares, probed, options),
    };
  } finally {
    for (const server of findlings) await server.stop();
    openSearch?.stop();
    await emptyRoute.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What some searches of each kind's warm-up find, and how long their answers are. */
async function probe(
  searches: readonly DrawnSearch[],
  { warmUp }: SearchShares,
  server: ServerUnderTest,
  openSearch: OpenSearchPeer | null,
): Promise<Map<string, Answer[]>> {
  const probed = new Map<string, Answer[]>();
  for (const [kind, places] of warmUp) {
    const answers: Answer[] = [];
    for (const place of places.slice(0, PROBED_PER_KIND))
      answers.push(await answerOf(searches[place]!, server, openSearch));
    probed.set(kind, answers);
  }
  return probed;
}

async function measuredKinds(
  targets: readonly LoadTarget[],
  { warmUp, rows }: SearchShares,
  probed: ReadonlyMap<string, readonly Answer[]>,
  { connections, seed }: ServiceOptions,
): Promise<KindFigures[]> {
  process.stderr.write("warming up\n");
  const everything = [...warmUp.values()].flat();
  for (const target of targets)
    await askRepeatedly(target, everything, { connections, seconds: WARM_UP_SECONDS, seed });
  const measured: KindFigures[] = [];
  // Mixes come last, when the engines' compilers have seen every kind for long.
  for (const row of rows.toReversed()) {
    process.stderr.write(`${row.kind}\n`);
    const loads = await rowLoads(targets, row, connections);
    const hot = (warmUp.get(row.kind) ?? []).slice(0, PROBED_PER_KIND);
    const findling = targets.find(({ name }) => name === "findling")!;
    const own = probed.get(row.kind) ?? [...probed.values()].flat();
    const mean = (of: (answer: Answer) => number): number =>
      own.reduce((sum, answer) => sum + of(answer), 0) / own.length;
    measured.push({
      kind: row.kind,
      searches: row.many.length + row.single.length,
      probed: own.length,
      equalCounts: loads.has("opensearch")
        ? own.filter(({ count, openSearchCount }) => count === openSearchCount).length
        : null,
      matches: mean(({ count }) => count),
      answerBytes: mean(({ bytes }) => bytes),
      findling: loads.get("findling")!,
      beside: loads.get("beside") ?? null,
      openSearch: loads.get("opensearch") ?? null,
      emptyRoute: loads.get("empty route")!,
      again:
        hot.length === 0
          ? null
          : await askRepeatedly(findling, hot, { connections, seconds: HOT_SECONDS, seed }),
    });
  }
  return measured.toReversed();
}

/** By target. */
async function rowLoads(
  targets: readonly LoadTarget[],
  { many, single }: RowShares,
  connections: number,
): Promise<Map<string, ServerLoads>> {
  const manyLoads = await askOnceInTurns(targets, many, connections);
  const singleLoads =
    single.length === 0 ? new Map<string, LoadFigures>() : await askOnceInTurns(targets, single, 1);
  return new Map(
    [...manyLoads].map(([name, load]) => [name, { many: load, single: singleLoads.get(name) ?? null }]),
  );
}

async function importedIntoFindling(
  server: ServerUnderTest,
  corpus: string,
  folder: string,
): Promise<ServerFigures> {
  const start = performance.now();
  server.import(corpus, INDEX, folder, SCHEMA);
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
    cpuSeconds: () => liveCpuSecondsOf(server.pid),
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

/** Asked with Findling's bodies, so that it has as much to read; its answers are as long as the kind's on average. */
async function emptyRouteTarget(
  part: Part<EmptyRouteCommand>,
  searches: readonly DrawnSearch[],
  probed: ReadonlyMap<string, readonly Answer[]>,
): Promise<LoadTarget> {
  const lengths = new Map(
    [...probed].map(([kind, answers]) => [
      kind,
      Math.round(answers.reduce((sum, { bytes }) => sum + bytes, 0) / answers.length),
    ]),
  );
  const { url, pid } = await part.ask<EmptyRouteResult>({
    answerBytes: searches.map(({ kind }) => lengths.get(kind)!),
  });
  return {
    name: "empty route",
    url,
    headers: { authorization: KEY, "content-type": "application/json" },
    requests: searches.map(({ findling }, place) => ({ path: `/${place}`, body: JSON.stringify(findling) })),
    cpuSeconds: () => liveCpuSecondsOf(pid),
  };
}
