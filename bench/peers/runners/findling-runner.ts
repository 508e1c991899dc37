/** Findling's engine in the benchmark's line protocol (`bench/README.md`), from compiled code. */
import { createInterface } from "node:readline";
import type { Index } from "../../../src/engine/index.js";
import type { RunnerCommand } from "../runner-protocol.js";
import { buildIndex, bytesOnDisk, openIndex } from "./collection.js";
import { type Operation, operationOf } from "./operation.js";
import { hot, once } from "./stopwatch.js";

let index: Index | null = null;
let operations: Operation[] = [];

async function answerTo(command: RunnerCommand): Promise<unknown> {
  switch (command.cmd) {
    case "info":
      return { engine: "findling", version: process.env["FINDLING_VERSION"], modes: ["top10", "one_pass"] };
    case "build": {
      const start = performance.now();
      await buildIndex(command.input, command.dir);
      return { build_s: (performance.now() - start) / 1000 };
    }
    case "open": {
      const start = performance.now();
      index = await openIndex(command.dir);
      const open_s = (performance.now() - start) / 1000;
      const bytes = bytesOnDisk(command.dir);
      return {
        open_s,
        docs: index.documentCount,
        segments: index.segmentCount,
        index_bytes: bytes.index,
        store_bytes: bytes.store,
      };
    }
    case "queries":
      operations = command.queries.map(operationOf);
      return { supported: operations.map(() => true) };
    case "answers": {
      const { searcher } = index!;
      return { answers: command.places.map((place) => operations[place]!(searcher, command.mode)) };
    }
    case "hot":
    case "mixed": {
      const { searcher } = index!;
      const time = command.cmd === "hot" ? hot : once;
      const times = command.places.map((place) => {
        const operation = operations[place]!;
        return time(() => operation(searcher, command.mode));
      });
      return { times };
    }
    case "quit":
      await index?.close();
      return null;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const answer = await answerTo(JSON.parse(line) as RunnerCommand);
  if (answer === null) break;
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
