import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startOptions } from "../../tests/setup/start-options.js";

export const KEY = "bench-admin-key-0123456789";
const CLOCK_TICKS_PER_SECOND = 100;

export interface ServerUnderTestOptions {
  /** Compiled project. */
  readonly dist: string;
  readonly dataFolder: string;
  /** Where V8's profiler writes; it is off by default. */
  readonly profile: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
}

/** The server as a user runs it. */
export class ServerUnderTest {
  readonly url: string;
  readonly #cli: string;
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;

  private constructor(url: string, cli: string, child: ChildProcess) {
    this.url = url;
    this.#cli = cli;
    this.#child = child;
    this.#exited = new Promise((resolve) => child.once("exit", resolve));
  }

  static async start({
    dist,
    dataFolder,
    profile,
    environment,
  }: ServerUnderTestOptions): Promise<ServerUnderTest> {
    const port = await freePort();
    const cli = join(dist, "cli", "main.js");
    const profiler = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`];
    const child = spawn(
      process.execPath,
      [...profiler, ...startOptions(), cli, "serve", "--port", String(port), "--data-dir", dataFolder],
      {
        env: { ...serverEnvironment(), FINDLING_ADMIN_KEY: KEY, FINDLING_LOG_LEVEL: "error", ...environment },
        stdio: ["ignore", "ignore", "inherit"],
      },
    );
    const server = new ServerUnderTest(`http://127.0.0.1:${port}`, cli, child);
    await server.#untilHealthy();
    return server;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** @param schema file with the index's definition; guessed unless given */
  import(file: string, index: string, cwd: string, schema?: string): void {
    const definition = schema === undefined ? [] : ["--schema", schema];
    execFileSync(
      process.execPath,
      [this.#cli, "import", file, "--index", index, ...definition, "--yes", "--url", this.url, "--key", KEY],
      { env: serverEnvironment(), stdio: ["ignore", "ignore", "inherit"], cwd },
    );
  }

  async patch(path: string, body: object): Promise<void> {
    const response = await fetch(this.url + path, {
      method: "PATCH",
      headers: { authorization: KEY, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok)
      throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
  }

  residentMegabytes(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
    return (Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024) / 1e6;
  }

  /** Processor time so far, of all threads. */
  cpuSeconds(): number {
    return secondsOf(`/proc/${this.#child.pid}/stat`);
  }

  /** What the thread that answers requests has worked. */
  mainThreadSeconds(): number {
    return secondsOf(`/proc/${this.#child.pid}/task/${this.#child.pid}/stat`);
  }

  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#exited;
  }

  async #untilHealthy(): Promise<void> {
    for (let i = 0; i < 1200; i++) {
      if (this.#child.exitCode !== null) throw new Error("the server ended before it answered");
      try {
        if ((await fetch(`${this.url}/healthcheck`)).ok) return;
      } catch {
        // not listening yet
      }
      await pause(50);
    }
    throw new Error(`the server at ${this.url} did not answer within a minute`);
  }
}

/** The environment without the benchmarks' own settings, which a server refuses as misspelt ones of its own. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const own = /^FINDLING_(BENCH|TEST)_/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
}

function secondsOf(statFile: string): number {
  const fields = readFileSync(statFile, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND;
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
