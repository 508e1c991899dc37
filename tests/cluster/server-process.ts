import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

export const ADMIN_KEY = "admin-key-of-the-cluster-tests";
const SECRET_KEY = "c0ffee00".repeat(8);

/** A span of time in which a server wasn't there, in milliseconds of `performance.now()`. */
export interface Absence {
  readonly from: number;
  to: number;
}

/** A server before a cluster as a process of its own, which can be killed and comes back at the same address. */
export class ServerProcess {
  readonly #folder: string;
  readonly #port: number;
  readonly #environment: Readonly<Record<string, string>>;
  readonly absences: Absence[] = [];
  /** What it has said on standard error. */
  log = "";
  #child: ChildProcess | undefined;

  private constructor(folder: string, port: number, environment: Readonly<Record<string, string>>) {
    this.#folder = folder;
    this.#port = port;
    this.#environment = environment;
  }

  /** @param environment besides what every server before a cluster needs */
  static async start(
    urls: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<ServerProcess> {
    const folder = mkdtempSync(join(tmpdir(), "findling-cluster-server-"));
    const server = new ServerProcess(folder, await freePort(), {
      FINDLING_BACKEND: "opensearch",
      FINDLING_OPENSEARCH_URL: urls.join(),
      FINDLING_ADMIN_KEY: ADMIN_KEY,
      FINDLING_SECRET_KEY: SECRET_KEY,
      FINDLING_LOG_LEVEL: "warn",
      FINDLING_MAX_RESULT_LIMIT: "5000",
      ...environment,
    });
    try {
      await server.revive();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Resolves once it listens. */
  async revive(): Promise<void> {
    const child = spawn(
      process.execPath,
      [MAIN, "serve", "--port", String(this.#port), "--data-dir", this.#folder, "--json"],
      { env: { ...process.env, ...this.#environment }, stdio: ["ignore", "pipe", "pipe"] },
    );
    this.#child = child;
    process.once("exit", () => child.kill("SIGKILL"));
    child.stderr.on("data", (bytes: Buffer) => {
      this.log = (this.log + bytes.toString("utf8")).slice(-100_000);
    });
    const lines = createInterface({ input: child.stdout });
    const first = await Promise.race([once(lines, "line"), once(child, "exit").then(() => null)]);
    if (first === null) throw new Error(`the server ended while it started: ${this.log.slice(-2_000)}`);
    const absence = this.absences.at(-1);
    if (absence?.to === Infinity) absence.to = performance.now();
  }

  /** `kill -9`. */
  async kill(): Promise<void> {
    this.absences.push({ from: performance.now(), to: Infinity });
    await this.#end("SIGKILL");
  }

  async stop(): Promise<void> {
    await this.#end("SIGTERM");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { readonly port: number };
      probe.close(() => resolve(port));
    });
  });
}
