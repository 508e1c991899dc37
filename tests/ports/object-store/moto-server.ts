import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const PACKAGE = "moto[server,s3]==5.2.5";
const ENVIRONMENT = fileURLToPath(new URL("../../../.cache/tests/moto-python", import.meta.url));
const INSTALLATION = `
  "$0/bin/python" -c "import moto.server" 2>/dev/null && exit
  python3 -m venv --clear "$0"
  "$0/bin/python" -m pip install --quiet --disable-pip-version-check "$1"
`;

/**
 * Python with moto, in an environment of its own below `.cache`. It is installed only with FINDLING_TEST_ALL=1.
 *
 * @throws Error that says why it isn't there
 */
export function pythonWithMoto(): string {
  const python = join(ENVIRONMENT, "bin", "python");
  try {
    if (existsSync(python)) {
      execFileSync(python, ["-c", "import moto.server"], { stdio: "ignore" });
      return python;
    }
  } catch {
    // Left half installed; once more.
  }
  if (process.env["FINDLING_TEST_ALL"] !== "1")
    throw new Error("it is installed with FINDLING_TEST_ALL=1 only");
  mkdirSync(dirname(ENVIRONMENT), { recursive: true });
  // Test files run side by side, and each of them may find it missing.
  execFileSync("flock", [`${ENVIRONMENT}.lock`, "bash", "-euc", INSTALLATION, ENVIRONMENT, PACKAGE]);
  return python;
}

/** As `pythonWithMoto`, or why it isn't there. @throws Error with FINDLING_TEST_ALL=1, where it has to be */
export function pythonOrReason(): { readonly python: string } | { readonly reason: string } {
  try {
    return { python: pythonWithMoto() };
  } catch (error) {
    if (process.env["FINDLING_TEST_ALL"] === "1") throw error;
    return { reason: (error as Error).message };
  }
}

/** A server that speaks S3, conditional writes included, with everything in memory. */
export class MotoServer {
  readonly #process: ChildProcess;
  readonly origin: string;

  private constructor(process: ChildProcess, origin: string) {
    this.#process = process;
    this.origin = origin;
  }

  static async start(python: string): Promise<MotoServer> {
    const port = await freePort();
    const process = spawn(python, ["-m", "moto.server", "-H", "127.0.0.1", "-p", String(port)], {
      stdio: "ignore",
    });
    const origin = `http://127.0.0.1:${port}`;
    for (let attempt = 0; process.exitCode === null && attempt < 600; attempt++) {
      const answer = await fetch(origin).catch(() => null);
      if (answer !== null) return new MotoServer(process, origin);
      await wait(100);
    }
    process.kill("SIGKILL");
    throw new Error("moto's server did not start");
  }

  async makeBucket(name: string): Promise<void> {
    const { status } = await fetch(`${this.origin}/${name}`, { method: "PUT" });
    if (status !== 200) throw new Error(`the bucket was refused with ${status}`);
  }

  async stop(): Promise<void> {
    const exited = this.#process.exitCode === null ? once(this.#process, "exit") : undefined;
    this.#process.kill("SIGKILL");
    await exited;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
