import { createInterface } from "node:readline";
import type { IndexLayout } from "../index-layout.js";
import type { Mode, PeerAnswer, PeerQuery } from "../peer-query.js";
import type { InfoAnswer, OpenAnswer, RunnerCommand } from "../runner-protocol.js";
import { hot, once } from "./stopwatch.js";

export type Operation = (mode: Mode) => PeerAnswer;

/** An engine behind the line protocol. */
export interface Runner {
  readonly info: InfoAnswer;
  build(input: string, folder: string, layout: IndexLayout): Promise<void>;
  open(folder: string): Promise<Omit<OpenAnswer, "open_s">>;
  /** Null for a kind that the engine doesn't have. */
  operation(query: PeerQuery): Operation | null;
  close(): Promise<void>;
}

/** Answers commands from standard input until one says to quit. */
export async function serve(runner: Runner): Promise<void> {
  let operations: (Operation | null)[] = [];
  for await (const line of createInterface({ input: process.stdin })) {
    const command = JSON.parse(line) as RunnerCommand;
    if (command.cmd === "quit") break;
    const start = performance.now();
    const seconds = (): number => (performance.now() - start) / 1000;
    let answer: unknown;
    switch (command.cmd) {
      case "info":
        answer = runner.info;
        break;
      case "build":
        await runner.build(command.input, command.dir, command);
        answer = { build_s: seconds() };
        break;
      case "open": {
        const opened = await runner.open(command.dir);
        answer = { open_s: seconds(), ...opened };
        break;
      }
      case "queries":
        operations = command.queries.map((query) => runner.operation(query));
        answer = { supported: operations.map((operation) => operation !== null) };
        break;
      case "answers":
        answer = { answers: command.places.map((place) => operations[place]!(command.mode)) };
        break;
      case "hot":
      case "mixed": {
        const time = command.cmd === "hot" ? hot : once;
        const times = command.places.map((place) => {
          const operation = operations[place]!;
          return time(() => operation(command.mode));
        });
        answer = { times };
      }
    }
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
  await runner.close();
}
