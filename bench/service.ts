import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { debianCorpus } from "./corpus.js";
import { median } from "./statistics.js";

const CLI = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const KEY = "bench-admin-key-0123456789";

/** Searches as a product would send them; each is measured alone and all of them as a mix. */
const SEARCHES: Readonly<Record<string, object>> = {
  "fuzzy, one word": { query: { fuzzy: { ctx: "compiler" } } },
  "fuzzy, two words with a typo": { query: { fuzzy: { ctx: "imgae viewer" } } },
  "dynamic, two words": { query: { dynamic: { ctx: "text editor" } } },
  "exact, phrase": { query: { exact: { ctx: '"command line"' } } },
  "exact, filter and range": {
    query: { exact: { ctx: "section:/section/games AND installed_size:[1000 TO 50000]" } },
  },
  "filter and fuzzy text": {
    query: [
      { exact: { ctx: "debtags:/implemented-in/python" }, occur: "must" },
      { fuzzy: { ctx: "network" }, occur: "must" },
    ],
  },
  "sorted by size": { query: { exact: { ctx: "library" } }, order_by: "installed_size", sort: "desc" },
  "everything, facets only": { query: { exact: { ctx: "*" } }, limit: 0 },
};

export interface ServiceOptions {
  readonly seconds: number;
}

/** The server as a user runs it: import by the command line, then searches over HTTP. */
export async function benchmarkService(options: ServiceOptions): Promise<void> {
  const corpus = debianCorpus();
  const folder = mkdtempSync(join(tmpdir(), "findling-service-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = spawn(process.execPath, [CLI, "serve", "--port", String(port), "--data-dir", folder], {
    env: { ...process.env, FINDLING_ADMIN_KEY: KEY, FINDLING_LOG_LEVEL: "warn" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  try {
    await waitUntilHealthy(url);
    const importStart = performance.now();
    execFileSync(
      process.execPath,
      [CLI, "import", corpus.file, "--index", "packages", "--yes", "--url", url, "--key", KEY],
      { stdio: ["ignore", "ignore", "inherit"], cwd: folder },
    );
    const importSeconds = (performance.now() - importStart) / 1000;
    const afterImport = memory(server.pid!);
    const documents = await documentCount(url);
    const rows = [];
    for (const [name, body] of Object.entries(SEARCHES)) rows.push(await measure(url, name, body, options));
    const mix = await load(url, Object.values(SEARCHES), options.seconds);
    const disk = bytesUnder(folder);
    const raw = statSync(corpus.file).size;
    process.stdout.write(
      `\n${documents} Debian packages, Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? "?"}; client and server share the cores\n\n` +
        `| what | figure |\n|---|---|\n` +
        `| import over HTTP, one command, committed | ${importSeconds.toFixed(1)} s, ${Math.round(documents / importSeconds)} documents/s |\n` +
        `| data folder on disk | ${(disk / 1e6).toFixed(1)} MB (input packed with gzip: ${(raw / 1e6).toFixed(1)} MB) |\n` +
        `| resident memory after the import (peak) | ${(afterImport.now / 1e6).toFixed(0)} MB (${(afterImport.peak / 1e6).toFixed(0)} MB) |\n` +
        `| mix of all searches, 10 connections | ${Math.round(mix.requestsPerSecond)} requests/s, p99 ${mix.p99} ms |\n\n` +
        `| search | matches | over HTTP, median | engine, median | requests/s, 10 connections |\n|---|---|---|---|---|\n` +
        rows
          .map(
            (row) =>
              `| ${row.name} | ${row.count} | ${row.http.toFixed(2)} ms | ${row.engine.toFixed(2)} ms | ${Math.round(row.perSecond)} |`,
          )
          .join("\n") +
        "\n",
    );
  } finally {
    server.kill("SIGTERM");
    await new Promise((resolve) => server.once("exit", resolve));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function search(url: string, body: object): Promise<{ count: number; time_taken: number }> {
  const response = await fetch(`${url}/index/packages/search`, {
    method: "POST",
    headers: { authorization: KEY, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok)
    throw new Error(`${response.status} for ${JSON.stringify(body)}: ${await response.text()}`);
  return ((await response.json()) as { data: { count: number; time_taken: number } }).data;
}

async function measure(url: string, name: string, body: object, { seconds }: ServiceOptions) {
  let count = 0;
  const http: number[] = [];
  const engine: number[] = [];
  for (let i = 0; i < 300; i++) {
    const start = performance.now();
    const result = await search(url, body);
    if (i < 100) continue;
    http.push(performance.now() - start);
    engine.push(result.time_taken * 1000);
    count = result.count;
  }
  const { requestsPerSecond } = await load(url, [body], seconds);
  return { name, count, http: median(http), engine: median(engine), perSecond: requestsPerSecond };
}

async function load(url: string, bodies: readonly object[], seconds: number) {
  const result = await autocannon({
    url: `${url}/index/packages/search`,
    connections: 10,
    duration: seconds,
    requests: bodies.map((body) => ({
      method: "POST",
      headers: { authorization: KEY, "content-type": "application/json" },
      body: JSON.stringify(body),
    })),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} answers were not 2xx, ${result.errors} failed`);
  return { requestsPerSecond: result.requests.average, p99: result.latency.p99 };
}

async function documentCount(url: string): Promise<number> {
  const response = await fetch(`${url}/index/packages/stats`, { headers: { authorization: KEY } });
  return ((await response.json()) as { data: { document_count: number } }).data.document_count;
}

async function waitUntilHealthy(url: string): Promise<void> {
  for (let i = 0; i < 200; i++) {
    try {
      if ((await fetch(`${url}/healthcheck`)).ok) return;
    } catch {
      // not listening yet
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the server at ${url} did not answer within 10 s`);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

function memory(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kilobytes = (name: string): number =>
    Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0);
  return { now: kilobytes("VmRSS") * 1024, peak: kilobytes("VmHWM") * 1024 };
}

function bytesUnder(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
