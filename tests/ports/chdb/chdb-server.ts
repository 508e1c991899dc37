import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** ClickHouse 26.7. */
const PACKAGE = "chdb@3.4.0";
const BRIDGE = fileURLToPath(new URL("chdb-bridge.ts", import.meta.url));
const FOLDER = fileURLToPath(new URL("../../../.cache/tests/chdb-3.4.0", import.meta.url));

/**
 * The folder of chDB, below `.cache` and outside the lock file, because `npm ci` doesn't find its
 * binaries. It is installed (545 MB) only with FINDLING_TEST_ALL=1.
 *
 * @throws Error that says why it isn't there
 */
function chdbFolder(): string {
  if (existsSync(FOLDER)) return FOLDER;
  if (process.env["FINDLING_TEST_ALL"] !== "1") {
    throw new Error("it is installed with FINDLING_TEST_ALL=1 only");
  }
  mkdirSync(dirname(FOLDER), { recursive: true });
  // Another test may install it at the same moment: what is under the name is whole.
  const temporary = mkdtempSync(`${FOLDER}-`);
  try {
    writeFileSync(join(temporary, "package.json"), '{"private": true}');
    execFileSync("npm", ["install", "--no-audit", "--no-fund", "--no-save", PACKAGE], { cwd: temporary });
    if (!existsSync(FOLDER)) renameSync(temporary, FOLDER);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return FOLDER;
}

/** Where chDB is, or why it isn't there, which is a failure with FINDLING_TEST_ALL=1. */
export function findChdb(): { readonly folder: string } | { readonly reason: string } {
  try {
    return { folder: chdbFolder() };
  } catch (error) {
    if (process.env["FINDLING_TEST_ALL"] === "1") throw error;
    return { reason: (error as Error).message };
  }
}

/** ClickHouse's engine behind its HTTP interface, in a process of its own. */
export class ChdbServer {
  /** With user, password and a database that isn't there yet. */
  readonly url: string;
  readonly port: number;
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess, port: number) {
    this.#process = process;
    this.port = port;
    this.url = `http://findling:secret@127.0.0.1:${port}/findling`;
  }

  /** @param port a free one if it is 0 */
  static async start(packageFolder: string, dataFolder: string, port = 0): Promise<ChdbServer> {
    const process_ = spawn(
      process.execPath,
      ["--import", "tsx", BRIDGE, packageFolder, dataFolder, String(port)],
      { stdio: ["pipe", "pipe", "inherit"] },
    );
    const lines = createInterface(process_.stdout);
    const [line] = (await Promise.race([once(lines, "line"), once(process_, "exit")])) as [unknown];
    if (!/^\d+$/.test(String(line))) throw new Error(`chDB did not start: ${String(line)}`);
    return new ChdbServer(process_, Number(line));
  }

  get pid(): number {
    return this.#process.pid!;
  }

  /** Ends the process at once, as a crash would. */
  async kill(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exited = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await exited;
  }
}
