/** `npm run bench -- backup`: searches beside backups that are made under a load, and how soon restored data answers. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { median, percentile } from "../statistics.js";
import { Part } from "../summaries/part.js";
import { KEY, ServerUnderTest, serverEnvironment } from "../summaries/server-under-test.js";
import { megabytes, row, TABLE_HEAD } from "../writing/figure-rows.js";
import type { LoadCommand } from "../writing/load-process.js";
import { createIndex, INDEX, packagesFrom } from "../writing/packages-index.js";
import type { SearchesCommand, SearchTimes } from "../writing/searches-process.js";

export interface BackupOptions {
  readonly documents: number;
  readonly batch: number;
  readonly connections: number;
  readonly commitEvery: number;
  readonly perSecond: number;
  /** Searches that are timed at least beside backups, and as many without. */
  readonly samples: number;
  readonly dist: string;
}

const SEARCHES = [
  { query: { fuzzy: { ctx: "compiler" } } },
  { query: { exact: { ctx: "text editor" } } },
  { query: { exact: { ctx: "library" } } },
  { query: { exact: { ctx: '"command line"' } } },
  { query: { dynamic: { ctx: "image viewer" } } },
].map((body) => JSON.stringify({ ...body, limit: 10 }));

interface Made {
  readonly id: string;
  readonly total_bytes: number;
  readonly uploaded_bytes: number;
}

export async function benchmarkBackup(options: BackupOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "findling-backup-"));
  const dist = resolve(options.dist);
  const environment = { FINDLING_BACKUP_URL: pathToFileURL(join(folder, "store")).href };
  const start = (name: string): Promise<ServerUnderTest> =>
    ServerUnderTest.start({ dist, dataFolder: join(folder, name), profile: undefined, environment });
  const load = new Part<LoadCommand>("../writing/load-process.ts");
  const searches = new Part<SearchesCommand>("../writing/searches-process.ts");
  let server = await start("data");
  const lines = [
    `\n${options.documents} documents, Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? "?"}; server, load and searches share the cores\n`,
    ...TABLE_HEAD,
  ];
  let next = 0;
  const loadMore = async (documents: number): Promise<void> => {
    const from = next;
    next += documents;
    await load.ask(packagesFrom(server, from, next, options));
  };
  const search = (seconds: number): Promise<SearchTimes> =>
    searches.ask<SearchTimes>({
      target: { url: `${server.url}/index/${INDEX}/search`, key: KEY },
      bodies: SEARCHES,
      perSecond: options.perSecond,
      seconds,
    });
  try {
    await createIndex(server);
    await loadMore(options.documents);
    await untilAnswered(search);
    // Of the whole index, so that those beside the load copy what it has written.
    const first = await backUp(server);
    lines.push(row("a backup of all of it", megabytes(first.total_bytes)));
    const turns: Turn[] = [];
    let isEnough = false;
    const share = Math.max(options.batch, Math.floor(options.documents / 10));
    const loading = loadUntil(
      () => isEnough,
      () => loadMore(share),
    ).finally(() => {
      isEnough = true;
    });
    // It is waited for below, where a failure of it ends the benchmark.
    loading.catch(() => undefined);
    // One backup, then as long a time without, of one load: whatever else the machine does and however large the index has
    // become, both have it.
    while (!isEnough) {
      const turn = await takeTurn(() => backUp(server), search);
      turns.push(turn);
      isEnough ||= SIDES.every((side) => timesOf(turns, side).length >= options.samples);
    }
    await loading;
    const refused = (side: Side): number => turns.reduce((sum, turn) => sum + turn[side].refused, 0);
    for (const [side, what] of [
      ["alone", "searches beside the load"],
      ["beside", `searches beside the load and ${turns.length} backups`],
    ] as const)
      lines.push(row(what, `${times(timesOf(turns, side))}, and ${refused(side)} refused (429)`));
    const [beside, alone] = (["beside", "alone"] as const).map((side) =>
      percentile(timesOf(turns, side), 0.99),
    );
    lines.push(row("ratio of the p99; goal 1.2", (beside! / alone!).toFixed(2)));
    const ofTurns = turns.map(
      (turn) => percentile(turn.beside.times, 0.99) / percentile(turn.alone.times, 0.99),
    );
    lines.push(row("ratio of the p99, median of the turns; goal 1.2", median(ofTurns).toFixed(2)));

    await backUp(server);
    await loadMore(Math.max(1, Math.floor(next / 100)));
    const more = await backUp(server);
    const uploaded = ((more.uploaded_bytes / more.total_bytes) * 100).toFixed(1);
    lines.push(row("sent by a backup after 1 % new documents; goal 5 %", `${uploaded} %`));
    await server.stop();

    const begun = performance.now();
    execFileSync(
      process.execPath,
      [join(dist, "cli", "main.js"), "backup", "restore", more.id, "--data-dir", join(folder, "restored")],
      { env: { ...serverEnvironment(), ...environment }, stdio: ["ignore", "ignore", "inherit"] },
    );
    const restored = performance.now();
    server = await start("restored");
    const found = await ask(server, "POST", `/index/${INDEX}/search`, SEARCHES[0]);
    const answered = performance.now();
    if ((found as { readonly count: number }).count === 0) throw new Error("what was restored finds nothing");
    lines.push(row("restoring all of it", `${((restored - begun) / 1000).toFixed(1)} s`));
    const seconds = ((answered - restored) / 1000).toFixed(1);
    lines.push(
      row(
        `${next} documents: from the restore's end to searches' answers, process started; goal 2 s`,
        `${seconds} s`,
      ),
    );
    const as = "beside";
    await ask(server, "POST", `/backup/${more.id}/restore`, JSON.stringify({ index: INDEX, as }));
    const whole = performance.now();
    await ask(server, "POST", `/index/${as}/search`, SEARCHES[0]);
    const wholeSeconds = ((performance.now() - whole) / 1000).toFixed(1);
    lines.push(row(`${next} documents beside a running server: the same; goal 2 s`, `${wholeSeconds} s`));
  } finally {
    process.stdout.write(`${lines.join("\n")}\n`);
    await load.stop();
    await searches.stop();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const SIDES = ["alone", "beside"] as const;
type Side = (typeof SIDES)[number];
/** The searches beside one backup, and those of as long a time without one. */
type Turn = Readonly<Record<Side, SearchTimes>>;

function timesOf(turns: readonly Turn[], side: Side): readonly number[] {
  return turns.flatMap((turn) => turn[side].times);
}

async function takeTurn(
  backUp: () => Promise<unknown>,
  search: (seconds: number) => Promise<SearchTimes>,
): Promise<Turn> {
  let isBackingUp = true;
  const backup = backUp().finally(() => {
    isBackingUp = false;
  });
  const beside: SearchTimes[] = [];
  while (isBackingUp) beside.push(await search(1));
  await backup;
  const alone: SearchTimes[] = [];
  for (const _ of beside) alone.push(await search(1));
  return { alone: joined(alone), beside: joined(beside) };
}

function joined(parts: readonly SearchTimes[]): SearchTimes {
  return {
    times: parts.flatMap(({ times }) => times),
    refused: parts.reduce((sum, { refused }) => sum + refused, 0),
  };
}

async function loadUntil(isEnough: () => boolean, loadMore: () => Promise<void>): Promise<void> {
  while (!isEnough()) await loadMore();
}

/**
 * The first searches of threads that have yet to open a large index take so long that the server refuses others, and
 * rightly: they could not begin within their time limit.
 */
async function untilAnswered(search: (seconds: number) => Promise<SearchTimes>): Promise<void> {
  for (let second = 0; second < 120; second++) {
    if ((await search(1)).refused === 0) return;
  }
  throw new Error("searches are still refused after two minutes");
}

async function backUp(server: ServerUnderTest): Promise<Made> {
  const { id } = (await ask(server, "POST", "/backup?wait=false")) as { readonly id: string };
  for (;;) {
    const { backups, last_failure: failure } = (await ask(server, "GET", "/backup")) as {
      readonly backups: readonly Made[];
      readonly last_failure?: { readonly id: string; readonly problem: string };
    };
    const made = backups.find((backup) => backup.id === id);
    if (made !== undefined) return made;
    if (failure?.id === id) throw new Error(failure.problem);
    await pause(250);
  }
}

async function ask(server: ServerUnderTest, method: string, path: string, body?: string): Promise<unknown> {
  const response = await fetch(server.url + path, {
    method,
    headers: { authorization: KEY, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body }),
  });
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { readonly data: unknown }).data;
}

function times(values: readonly number[]): string {
  const at = (share: number): string => percentile(values, share).toFixed(1);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, p99.9 ${at(0.999)} ms, of ${values.length}`;
}
