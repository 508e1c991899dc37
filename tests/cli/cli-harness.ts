import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { FindlingClient } from "../../src/client/index.js";

export const PROJECT: string = fileURLToPath(new URL("../../", import.meta.url));
export const MAIN: string = join(PROJECT, "dist/cli/main.js");

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
}

/** The built command line as a child process; standard input is empty unless given. */
export function spawnCli(args: readonly string[], options: CliOptions = {}): ChildProcess {
  if (!existsSync(MAIN)) throw new Error("the command line is not built; run 'npm run build'");
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: options.cwd ?? tmpdir(),
    env: { ...cleanEnvironment(), ...options.env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin!.on("error", () => undefined);
  child.stdin!.end(options.stdin ?? "");
  return child;
}

export async function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return await resultOf(spawnCli(args, options));
}

export async function resultOf(child: ChildProcess): Promise<CliResult> {
  let stdout = "";
  let stderr = "";
  child.stdout!.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr!.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}

/** Nothing of the tester's own settings reaches what is tested. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("FINDLING_")));
}

/** What `findling serve --json` prints first. */
interface Listening {
  readonly url: string;
  readonly created_keys: ServerProcess["createdKeys"];
}

/** `findling serve` on a free port over a folder. */
export class ServerProcess {
  readonly child: ChildProcess;
  readonly url: string;
  readonly dataDir: string;
  /** Empty unless this was the folder's first start. */
  readonly createdKeys: readonly {
    readonly name: string;
    readonly key: string;
    readonly permissions: number;
  }[];

  private constructor(child: ChildProcess, dataDir: string, listening: Listening) {
    this.child = child;
    this.dataDir = dataDir;
    this.url = listening.url;
    this.createdKeys = listening.created_keys;
  }

  static async start(
    dataDir: string,
    options: { readonly port?: number; readonly env?: Readonly<Record<string, string>> } = {},
  ): Promise<ServerProcess> {
    const child = spawnCli(["serve", "--port", String(options.port ?? 0), "--data-dir", dataDir, "--json"], {
      // A busy machine is no reason to give a search up.
      env: { FINDLING_LOG_LEVEL: "error", FINDLING_SEARCH_TIMEOUT_MS: "60000", ...options.env },
    });
    let stderr = "";
    child.stderr!.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const lines = createInterface({ input: child.stdout! });
    const [first] = await Promise.race([
      once(lines, "line"),
      once(child, "close").then(() => Promise.reject(new Error(`the server did not start: ${stderr}`))),
    ]);
    return new ServerProcess(child, dataDir, JSON.parse(first as string) as Listening);
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  keyOf(name: "admin" | "ingest" | "read"): string {
    return this.createdKeys.find((key) => key.name === name)!.key;
  }

  client(key: string = this.keyOf("admin"), url: string = this.url): FindlingClient {
    return new FindlingClient({ url, key });
  }

  /** What every command needs to find this server; it takes the admin key from the folder. */
  get flags(): readonly string[] {
    return ["--url", this.url, "--data-dir", this.dataDir];
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return this.child.exitCode;
    this.child.kill(signal);
    const [code] = (await once(this.child, "close")) as [number | null];
    return code;
  }
}

export async function temporaryFolder(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "findling-cli-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** The values of one field of all documents, in the order in which they were inserted. */
export async function allValues(
  client: FindlingClient,
  index: string,
  field: string,
): Promise<readonly unknown[]> {
  const values: unknown[] = [];
  for (let offset = 0; ; offset += 200) {
    const page = await client.searchIndex(index, {
      query: { exact: { ctx: "*" } },
      limit: 200,
      offset,
    });
    values.push(...page.hits.map((hit) => hit.doc[field]));
    if (page.hits.length < 200) return values;
  }
}
