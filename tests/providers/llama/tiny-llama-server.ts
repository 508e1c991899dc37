import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const PACKAGES = ["xllamacpp==2026.10.11549", "gguf==0.19.0", "numpy==2.4.6"];
const SCRIPT = fileURLToPath(new URL("tiny_llama_server.py", import.meta.url));
const ENVIRONMENT = fileURLToPath(new URL("../../../.cache/tests/llama-python", import.meta.url));

/**
 * Python with llama.cpp, in an environment of its own below `.cache`. It is installed (about 60 MB
 * from PyPI) only with FINDLING_TEST_ALL=1.
 *
 * @throws Error that says why it isn't there
 */
export function pythonWithLlama(): string {
  const python = join(ENVIRONMENT, "bin", "python");
  const imports = ["-c", "import gguf, numpy, xllamacpp"];
  try {
    if (existsSync(python)) {
      execFileSync(python, imports, { stdio: "ignore" });
      return python;
    }
  } catch {
    // Left half installed; once more.
  }
  if (process.env["FINDLING_TEST_ALL"] !== "1")
    throw new Error("it is installed with FINDLING_TEST_ALL=1 only");
  mkdirSync(ENVIRONMENT, { recursive: true });
  execFileSync("python3", ["-m", "venv", "--clear", ENVIRONMENT]);
  execFileSync(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...PACKAGES]);
  return python;
}

/** A real llama.cpp server on a free port of loopback, with a tiny model of random weights. */
export class TinyLlamaServer {
  readonly #process: ChildProcess;
  readonly #folder: string;
  /** `http://127.0.0.1:…`. */
  readonly origin: string;

  private constructor(process: ChildProcess, folder: string, origin: string) {
    this.#process = process;
    this.#folder = folder;
    this.origin = origin;
  }

  static async start(python: string): Promise<TinyLlamaServer> {
    const folder = mkdtempSync(join(tmpdir(), "findling-llama-"));
    // Its log is long, and of use only to whoever starts the script by hand.
    const process = spawn(python, [SCRIPT, folder], { stdio: ["pipe", "pipe", "ignore"] });
    const lines = createInterface(process.stdout);
    const [line] = (await Promise.race([once(lines, "line"), once(process, "exit")])) as [unknown];
    const origin = String(line).trim();
    if (!origin.startsWith("http://127.0.0.1:")) {
      process.kill();
      rmSync(folder, { recursive: true });
      throw new Error(`the llama.cpp server did not start, it says: ${origin}`);
    }
    return new TinyLlamaServer(process, folder, origin);
  }

  /** Whether it is answering somebody. */
  async isBusy(): Promise<boolean> {
    const answer = await fetch(`${this.origin}/slots`);
    const slots = (await answer.json()) as { readonly is_processing: boolean }[];
    return slots.some((slot) => slot.is_processing);
  }

  async stop(): Promise<void> {
    const exited = this.#process.exitCode === null ? once(this.#process, "exit") : undefined;
    this.#process.stdin?.end();
    this.#process.kill("SIGKILL");
    await exited;
    rmSync(this.#folder, { recursive: true });
  }
}
