import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { cpuSecondsOf, memoryOf } from "./process-figures.js";

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
    return this.#told((pid) => memoryOf(pid).now);
  }

  /** Peak resident memory so far in bytes; 0 where the system doesn't say. */
  peakBytes(): number {
    return this.#told((pid) => memoryOf(pid).peak);
  }

  /** Processor time so far in seconds, of all its threads; 0 where the system doesn't say. */
  cpuSeconds(): number {
    return this.#told(cpuSecondsOf);
  }

  async quit(): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.stdin!.end('{"cmd":"quit"}\n');
    await gone;
  }

  #told(figure: (pid: number) => number): number {
    try {
      return figure(this.#child.pid!);
    } catch {
      return 0;
    }
  }
}
