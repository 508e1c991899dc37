import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";

type Answer = { readonly result: unknown } | { readonly error: string };

/** A part of the benchmark in a process of its own, so that no part's pauses show in another's figures. */
export class Part<Command extends object> {
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;

  /** @param program beside this file */
  constructor(program: string) {
    this.#child = fork(fileURLToPath(new URL(program, import.meta.url)));
    this.#exited = new Promise((resolve) => this.#child.once("exit", () => resolve()));
  }

  /** One command at a time. */
  async ask<Result>(command: Command): Promise<Result> {
    const answer = new Promise<Answer>((resolve, reject) => {
      this.#child.once("message", resolve);
      void this.#exited.then(() => reject(new Error("a part of the benchmark ended by itself")));
    });
    this.#child.send(command);
    const said = await answer;
    if ("error" in said) throw new Error(said.error);
    return said.result as Result;
  }

  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#exited;
  }
}

/** In the part's process: answers its commands until the benchmark is gone. */
export function answerCommands<Command extends object>(answer: (command: Command) => Promise<unknown>): void {
  process.on("message", (command) => {
    answer(command as Command).then(
      (result) => process.send!({ result }),
      (error: unknown) => process.send!({ error: error instanceof Error ? error.message : String(error) }),
    );
  });
  process.once("disconnect", () => process.exit());
}
