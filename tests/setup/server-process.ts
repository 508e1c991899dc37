/** A real server in a process of its own, for tests that kill it. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { startOptions } from "./start-options.js";

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** Ends what never would; hooks and tests have longer. */
const START_MS_MAX = 100_000;

export const ADMIN_KEY = "test-admin-key-0123456789";

export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | null>;
  #output = "";
  #url = "";

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#exited = new Promise((resolve) => child.once("exit", (code) => resolve(code)));
    child.stdout?.on("data", (chunk: Buffer) => (this.#output += chunk.toString()));
    child.stderr?.on("data", (chunk: Buffer) => (this.#output += chunk.toString()));
  }

  /**
   * Resolves once the server answers.
   *
   * @param within a command that runs the one that is appended to it, by `exec`
   * @param program the command line's file
   * @throws Error with the server's output if it ends before that
   */
  static async start(
    dataFolder: string,
    environment: NodeJS.ProcessEnv = {},
    within: readonly string[] = [],
    program: string = CLI,
  ): Promise<ServerProcess> {
    if (!existsSync(program)) throw new Error("dist/ is not there: run `npm run build` (`npm test` does it)");
    // The system gives it a port that is free when it listens, whoever else has taken one until then.
    const serve = [...startOptions(), program, "serve", "--port", "0", "--data-dir", dataFolder];
    const [first, ...args] = [...within, process.execPath, ...serve];
    const child = spawn(first!, args, {
      env: {
        ...withoutSettings(process.env),
        FINDLING_ADMIN_KEY: ADMIN_KEY,
        FINDLING_LOG_LEVEL: "warn",
        // A busy machine is no reason to give a search up.
        FINDLING_SEARCH_TIMEOUT_MS: "60000",
        ...environment,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const server = new ServerProcess(child);
    await server.#untilListening();
    return server;
  }

  get url(): string {
    return this.#url;
  }

  get output(): string {
    return this.#output;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** One request with the admin key; the body is sent as JSON. @throws when the connection breaks */
  async request(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: { data: unknown } }> {
    const response = await fetch(this.url + path, {
      method,
      headers: { authorization: ADMIN_KEY, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as { data: unknown } };
  }

  /** Ends the process at once, as a crash would. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#exited;
  }

  /** Asks the process to stop. @returns its exit code */
  async stop(): Promise<number | null> {
    this.#child.kill("SIGTERM");
    return this.#exited;
  }

  async #untilListening(): Promise<void> {
    let ended = false;
    void this.#exited.then(() => (ended = true));
    const deadline = performance.now() + START_MS_MAX;
    while (performance.now() < deadline) {
      if (ended) throw new Error(`the server ended before it answered:\n${this.#output}`);
      const [, url] = /^findling listens on (\S+)\n/m.exec(this.#output) ?? [];
      if (url !== undefined) {
        this.#url = url;
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await this.kill();
    throw new Error(`the server did not answer in ${START_MS_MAX / 1000} seconds:\n${this.#output}`);
  }
}

/** The environment without Findling's own variables, so that a test doesn't depend on who runs it. */
function withoutSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith("FINDLING_")));
}
