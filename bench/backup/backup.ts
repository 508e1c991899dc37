/** `npm run bench -- backup`: searches beside backups that are made under a load, and how soon restored data answers. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { percentile } from "../statistics.js";
import { Part } from "../summaries/part.js";
import { KEY, ServerUnderTest, serverEnvironment } from "../summaries/server-under-test.js";
import { megabytes, row, TABLE_HEAD } from "../writing/figure-rows.js";
import type { LoadCommand } from "../writing/load-process.js";
import { createIndex, INDEX, packagesFrom } from "../writing/packages-index.js";
import type { SearchesCommand } from "../writing/searches-process.js";

export interface BackupOptions {
  readonly documents: number;
  readonly batch: number;
  readonly connections: number;
  readonly commitEvery: number;
  readonly perSecond: number;
  /** Tenths of the index that are loaded while searches are timed. */
  readonly rounds: number;
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
  const search = (seconds: number): Promise<number[]> =>
    searches.ask<number[]>({
      target: { url: `${server.url}/index/${INDEX}/search`, key: KEY },
      bodies: SEARCHES,
      perSecond: options.perSecond,
      seconds,
    });
  try {
    await createIndex(server);
    await loadMore(options.documents);
    await search(3);
    // Of the whole index, so that those beside the load copy what it has written.
    const first = await backUp(server);
    lines.push(row("a backup of all of it", megabytes(first.total_bytes)));
    const taken: Record<"alone" | "beside", number[]> = { alone: [], beside: [] };
    let made = 0;
    let isLoading = true;
    const share = Math.max(options.batch, Math.floor(options.documents / 10));
    const loading = loadMore(share * options.rounds).finally(() => {
      isLoading = false;
    });
    // One backup, then as long a time without, of one load: whatever else the machine does and however large the index has
    // become, both have it.
    while (isLoading) {
      let isBackingUp = true;
      const backup = backUp(server).finally(() => {
        isBackingUp = false;
      });
      let seconds = 0;
      for (; isBackingUp; seconds++) taken.beside.push(...(await search(1)));
      await backup;
      made++;
      for (; seconds > 0 && isLoading; seconds--) taken.alone.push(...(await search(1)));
    }
    await loading;
    lines.push(row("searches beside the load", times(taken.alone)));
    lines.push(row(`searches beside the load and ${made} backups`, times(taken.beside)));
    const ratio = percentile(taken.beside, 0.99) / percentile(taken.alone, 0.99);
    lines.push(row("ratio of the p99; goal 1.2", ratio.toFixed(2)));

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
  } finally {
    process.stdout.write(`${lines.join("\n")}\n`);
    await load.stop();
    await searches.stop();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
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
