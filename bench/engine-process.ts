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

/** What Linux counts processor time in, on every platform that Node runs on. */
const CLOCK_TICKS_PER_SECOND = 100;

/** An engine in a process of its own: one JSON command a line, one JSON answer a line. */
export class EngineProcess<Command extends { readonly cmd: string }> {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  constructor(name: string, command: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    this.name = name;
    const [program, ...rest] = command;
    this.#child = spawn(program!, rest, {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, GOMAXPROCS: "1", RAYON_NUM_THREADS: "1", ...environment },
    });
    this.#answers = createInterface({ input: this.#child.stdout! })[Symbol.asyncIterator]();
  }

  async ask<T>(command: Command): Promise<T> {
    this.#child.stdin!.write(`${JSON.stringify(command)}\n`);
    const { value, done } = await this.#answers.next();
    if (done === true) throw new Error(`${this.name} ended while it ran '${command.cmd}'`);
    return JSON.parse(value as string) as T;
  }

  /** Resident memory in bytes; 0 where the system doesn't say. */
  residentBytes(): number {
    return this.#memoryBytes("VmRSS");
  }

  /** Peak resident memory so far in bytes; 0 where the system doesn't say. */
  peakBytes(): number {
    return this.#memoryBytes("VmHWM");
  }

  /** Processor time so far in seconds, of all its threads; 0 where the system doesn't say. */
  cpuSeconds(): number {
    try {
      // The program's name, in parentheses, may hold spaces; utime and stime are the 14th and 15th field.
      const status = readFileSync(`/proc/${this.#child.pid}/stat`, "utf8");
      const [userTicks, systemTicks] = status.slice(status.lastIndexOf(")")).split(" ").slice(12, 14);
      return (Number(userTicks) + Number(systemTicks)) / CLOCK_TICKS_PER_SECOND;
    } catch {
      return 0;
    }
  }

  async quit(): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.stdin!.end('{"cmd":"quit"}\n');
    await gone;
  }

  #memoryBytes(line: string): number {
    try {
      const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
      return Number(new RegExp(`${line}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) * 1024;
    } catch {
      return 0;
    }
  }
}
