/** `npm run bench -- writing`: a load at full speed, searches beside it, commits of one document. */
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { percentile } from "../statistics.js";
import { Part } from "../summaries/part.js";
import { KEY, ServerUnderTest } from "../summaries/server-under-test.js";
import { timeBareSyncs } from "./bare-syncs.js";
import { megabytes, row, TABLE_HEAD } from "./figure-rows.js";
import type { LoadCommand, LoadResult } from "./load-process.js";
import { commitOneByOne } from "./one-document-commits.js";
import { createIndex, INDEX, packagesFrom } from "./packages-index.js";
import type { SearchesCommand, SearchTimes } from "./searches-process.js";
import { type Watched, WatchedIndex } from "./watched-index.js";

export interface WritingOptions {
  readonly documents: number;
  readonly batch: number;
  readonly connections: number;
  readonly commitEvery: number;
  readonly perSecond: number;
  readonly commits: number;
  /** MiB. */
  readonly budget: number;
  readonly dist: string;
  readonly profile?: string;
}

const SEARCHES = [
  { query: { fuzzy: { ctx: "compiler" } } },
  { query: { exact: { ctx: "text editor" } } },
  { query: { exact: { ctx: "library" } } },
  { query: { exact: { ctx: '"command line"' } } },
  { query: { dynamic: { ctx: "image viewer" } } },
].map((body) => JSON.stringify({ ...body, limit: 10 }));

export async function benchmarkWriting(options: WritingOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "findling-writing-"));
  const { cpus: processors, lines } = { cpus: cpus(), lines: [] as string[] };
  lines.push(
    `\n${options.documents} documents, Node ${process.versions.node}, ${processors.length} × ${processors[0]?.model ?? "?"}; server, load and searches share the cores\n`,
    ...TABLE_HEAD,
  );
  const load = new Part<LoadCommand>("../writing/load-process.ts");
  const searches = new Part<SearchesCommand>("../writing/searches-process.ts");
  const start = (): Promise<ServerUnderTest> =>
    ServerUnderTest.start({
      dist: resolve(options.dist),
      dataFolder: folder,
      profile: options.profile,
      environment: { FINDLING_MEMORY_BUDGET_MB: String(options.budget) },
    });
  let server = await start();
  const watched = new WatchedIndex(server.pid, folder);
  try {
    const syncs = await timeBareSyncs(folder, 100);
    lines.push(row("disk alone: append and sync", times(syncs.append)));
    lines.push(row("disk alone: new file, synced, named", times(syncs.newFile)));
    await createIndex(server);
    const before = watched.look();
    const half = options.documents >> 1;
    const lastTenth = options.documents - Math.floor(options.documents / 10);
    const run = (from: number, to: number): Promise<LoadResult> =>
      load.ask<LoadResult>(packagesFrom(server, from, to, options));
    let refusedSearches = 0;
    const search = async (seconds: number): Promise<readonly number[]> => {
      const answered = await searches.ask<SearchTimes>({
        target: { url: `${server.url}/index/${INDEX}/search`, key: KEY },
        bodies: SEARCHES,
        perSecond: options.perSecond,
        seconds,
      });
      refusedSearches += answered.refused;
      return answered.times;
    };
    const first = await run(0, half);
    lines.push(row("first half, by tenths of the load", `${rates(first, 5).join(", ")} documents/s`));
    await watched.untilMerged();
    await search(3);
    await loopDelay(server);
    const idle = await search(10);
    lines.push(row(`searches idle, ${options.perSecond} a second`, times(idle)));
    lines.push(row("event loop beside them", await loopDelay(server)));
    let isLoading = true;
    const second = run(half, lastTenth).finally(() => {
      isLoading = false;
    });
    const beside: number[] = [];
    while (isLoading) beside.push(...(await search(1)));
    lines.push(row("event loop under the load", await loopDelay(server)));
    const seconds = await second;
    lines.push(row("searches while the next four tenths are loaded", times(beside)));
    lines.push(row("ratio of the p99", (percentile(beside, 0.99) / percentile(idle, 0.99)).toFixed(2)));
    lines.push(row("beside searches, by tenths of the load", `${rates(seconds, 4).join(", ")} documents/s`));
    lines.push(row(`commits of the load, every ${options.commitEvery}`, times(seconds.commitMs)));
    // Without searches, as the first, so that only what is there already makes a difference.
    const last = await run(lastTenth, options.documents);
    lines.push(row("last tenth", `${rates(last, 1).join(", ")} documents/s`));
    const lastAgainstFirst = rates(last, 1)[0]! / rates(first, 5)[0]!;
    lines.push(row("last tenth's documents/s against the first's", lastAgainstFirst.toFixed(2)));
    const refused = first.refused + seconds.refused + last.refused;
    lines.push(row("refused for want of memory (429)", String(refused)));
    lines.push(row("searches refused because they could not begin in time (429)", String(refusedSearches)));
    const loaded = watched.look();
    lines.push(
      row(
        "resident before, after, peak",
        [before.residentBytes, loaded.residentBytes, watched.peakResidentBytes].map(megabytes).join(", "),
      ),
    );
    lines.push(row("index files of the segments after it", megabytes(loaded.imageBytes)));
    lines.push(
      row(
        "peak beyond start and index files",
        megabytes(
          Math.max(...watched.looks.map((look) => look.residentBytes - look.imageBytes)) -
            before.residentBytes,
        ),
      ),
    );
    const peak = watched.peakResidentBytes;
    lines.push(row("segments, over the load", overTime(watched.looks).join(" ")));
    await watched.untilMerged();
    lines.push(row("segments once merged", String(watched.look().segments)));
    const alone = await commitOneByOne(server, INDEX, options.commits);
    for (const [what, values] of Object.entries(alone))
      lines.push(row(`one document, idle: ${what}`, times(values)));
    isLoading = true;
    const third = run(0, Math.max(100_000, options.documents >> 3)).finally(() => {
      isLoading = false;
    });
    const loadedCommits = await commitOneByOne(server, INDEX, 100_000, () => !isLoading);
    await third;
    for (const [what, values] of Object.entries(loadedCommits))
      lines.push(row(`one document, under load: ${what}`, times(values)));
    await watched.untilMerged();
    watched.stop();
    await server.stop();
    server = await start();
    await commitOneByOne(server, INDEX, 3);
    await search(3);
    const rest = server.residentMegabytes() * 1e6;
    lines.push(
      row(
        `load's peak beyond the same server at rest (${megabytes(rest)}); goal ${megabytes(1.15 * options.budget * 2 ** 20)}`,
        megabytes(peak - rest),
      ),
    );
  } finally {
    watched.stop();
    await server.stop();
    await load.stop();
    await searches.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  process.stdout.write(`${lines.join("\n")}\n`);
}

/** What the server measures is the time from one look at the clock to the next, which are to be so far apart. */
const LOOK_EVERY_MS = 10;

/** By how much the event loop was late: p50, p99 and the worst since the last question. */
async function loopDelay(server: ServerUnderTest): Promise<string> {
  const response = await fetch(`${server.url}/metrics`, { headers: { authorization: KEY } });
  const text = await response.text();
  const figures = ["p50", "p99", "max"].map((name) => {
    const [, seconds] = new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)`, "m").exec(text) ?? [];
    return `${name} ${Math.max(0, Number(seconds) * 1000 - LOOK_EVERY_MS).toFixed(1)} ms`;
  });
  return figures.join(", ");
}

/** Documents a second in each of so many equal parts. */
function rates({ progress }: LoadResult, parts: number): number[] {
  const total = progress.at(-1)!.documents;
  let [seconds, documents] = [0, 0];
  return Array.from({ length: parts }, (_, part) => {
    const reached = progress.find((step) => step.documents >= (total * (part + 1)) / parts)!;
    const rate = (reached.documents - documents) / (reached.seconds - seconds);
    ({ seconds, documents } = reached);
    return Math.round(rate);
  });
}

/** Segments at forty moments. */
function overTime(looks: readonly Watched[]): number[] {
  return Array.from({ length: 40 }, (_, i) => looks[Math.floor(((looks.length - 1) * i) / 39)]!.segments);
}

function times(values: readonly number[]): string {
  if (values.length === 0) return "none";
  const at = (share: number): string => percentile(values, share).toFixed(1);
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)} ms (${values.length})`;
}
