import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { WorkloadQuery, WorkloadSpec } from "./workload.js";

export interface EngineInfo {
  readonly engine: string;
  readonly version: string;
}

export interface BuildFigures {
  readonly build_s: number;
  readonly index_bytes: number;
  /** Peak resident memory of the building process. */
  readonly peak_bytes?: number;
}

export interface RunAnswer {
  readonly unsupported?: boolean;
  readonly lat_us: number[];
  readonly counts: number[];
  readonly tops: string[][];
  /** Scores of the top hits, where the engine says them. */
  readonly scores?: number[][];
}

export type EngineCommand =
  | { readonly cmd: "info" }
  | {
      readonly cmd: "build";
      readonly input: string;
      readonly fields: WorkloadSpec["fields"];
      readonly dir: string;
    }
  | { readonly cmd: "open"; readonly fields: WorkloadSpec["fields"]; readonly dir: string }
  | { readonly cmd: "run"; readonly kind: string; readonly queries: readonly WorkloadQuery[] };

/** An engine in a process of its own: one JSON command a line, one JSON answer a line. */
export class EngineProcess {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  constructor(name: string, command: readonly string[]) {
    this.name = name;
    const [program, ...rest] = command;
    this.#child = spawn(program!, rest, {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, GOMAXPROCS: "1", RAYON_NUM_THREADS: "1" },
    });
    this.#answers = createInterface({ input: this.#child.stdout! })[Symbol.asyncIterator]();
  }

  async ask<T>(command: EngineCommand): Promise<T> {
    this.#child.stdin!.write(`${JSON.stringify(command)}\n`);
    const { value, done } = await this.#answers.next();
    if (done === true) throw new Error(`${this.name} ended while it ran '${command.cmd}'`);
    return JSON.parse(value as string) as T;
  }

  /** Peak resident memory so far in bytes; 0 where the system doesn't say. */
  peakBytes(): number {
    try {
      const match = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.#child.pid}/status`, "utf8"));
      return match === null ? 0 : Number(match[1]) * 1024;
    } catch {
      return 0;
    }
  }

  async quit(): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.stdin!.end('{"cmd":"quit"}\n');
    await gone;
  }
}
