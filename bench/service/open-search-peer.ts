import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CACHE_FOLDER, lines } from "../corpus.js";
import { bytesUnder, liveCpuSecondsOf, memoryOf } from "../process-figures.js";
import { OPEN_SEARCH_INDEX, openSearchDocument } from "./open-search-query.js";

const SCRIPTS = fileURLToPath(new URL("../native/opensearch", import.meta.url));
const INDEX = "packages";
const DOCUMENTS_PER_BULK = 2000;
/** The cluster stops itself after this long, whatever becomes of the benchmark. */
const SECONDS_MAX = "3600";

/** One node of OpenSearch from Maven Central, which is kept in the benchmarks' cache. */
export class OpenSearchPeer {
  readonly url: string;
  readonly version: string;
  readonly #folder: string;
  readonly #pid: number;

  private constructor(url: string, version: string, folder: string) {
    this.url = url;
    this.version = version;
    this.#folder = folder;
    this.#pid = Number(readFileSync(join(folder, "node1", "pid"), "utf8"));
  }

  /** @throws Error where there is no Java, no Maven or no network */
  static async start(): Promise<OpenSearchPeer> {
    const maven = join(CACHE_FOLDER, "opensearch", "maven");
    mkdirSync(maven, { recursive: true });
    // Nodes run as another user, who must be able to read it: a home folder isn't open to them.
    const folder = mkdtempSync(join(tmpdir(), "findling-opensearch-"));
    try {
      const urls = execFileSync("bash", [join(SCRIPTS, "start-cluster.sh"), "1", folder], {
        env: {
          ...process.env,
          OS_HEAP: "1g",
          OS_FAST_JIT: "0",
          OS_MAX_SECS: SECONDS_MAX,
          OS_MAVEN_REPO: maven,
        },
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
      });
      const url = urls.split("\n", 1)[0]!;
      const { version } = (await (await fetch(url)).json()) as {
        readonly version: { readonly number: string };
      };
      return new OpenSearchPeer(url, version.number, folder);
    } catch (error) {
      stop(folder);
      throw error;
    }
  }

  get searchPath(): string {
    return `/${INDEX}/_search`;
  }

  /** Indexes the corpus and merges it into one segment; resolves with the seconds that each took. */
  async import(corpus: string): Promise<{ readonly seconds: number; readonly mergeSeconds: number }> {
    await this.#request("PUT", `/${INDEX}`, JSON.stringify(OPEN_SEARCH_INDEX));
    const start = performance.now();
    let bulk: string[] = [];
    const send = async (): Promise<void> => {
      const { errors } = await this.#request("POST", `/${INDEX}/_bulk`, `${bulk.join("\n")}\n`);
      if (errors === true) throw new Error("OpenSearch refused a document of the corpus");
      bulk = [];
    };
    for await (const line of lines(corpus)) {
      bulk.push('{"index":{}}', openSearchDocument(line));
      if (bulk.length >= 2 * DOCUMENTS_PER_BULK) await send();
    }
    if (bulk.length > 0) await send();
    await this.#request("POST", `/${INDEX}/_refresh`);
    await this.#request("POST", `/${INDEX}/_flush`);
    const merging = performance.now();
    await this.#request("POST", `/${INDEX}/_forcemerge?max_num_segments=1&flush=true`);
    const end = performance.now();
    return { seconds: (merging - start) / 1000, mergeSeconds: (end - merging) / 1000 };
  }

  /** How many documents match. */
  async count(body: object): Promise<number> {
    const { hits } = await this.#request("POST", this.searchPath, JSON.stringify(body));
    return (hits as { readonly total: { readonly value: number } }).total.value;
  }

  cpuSeconds(): number {
    return liveCpuSecondsOf(this.#pid);
  }

  residentBytes(): number {
    return memoryOf(this.#pid).now;
  }

  bytesOnDisk(): number {
    return bytesUnder(join(this.#folder, "node1", "data"));
  }

  stop(): void {
    stop(this.#folder);
  }

  async #request(method: string, path: string, body?: string): Promise<Record<string, unknown>> {
    const type = path.endsWith("_bulk") ? "application/x-ndjson" : "application/json";
    const response = await fetch(this.url + path, {
      method,
      ...(body === undefined ? {} : { headers: { "content-type": type }, body }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>;
  }
}

function stop(folder: string): void {
  execFileSync("bash", [join(SCRIPTS, "stop-cluster.sh"), folder], { stdio: "ignore" });
  rmSync(folder, { recursive: true, force: true });
}
