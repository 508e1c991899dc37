import type { IncomingMessage } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { answerCommands } from "./part.js";
import { post, type Target, timeOf } from "./post.js";

export type ReadersCommand =
  /** Begins to read that many answers; answers when each has had its first event. */
  | {
      readonly kind: "open";
      readonly target: Target;
      readonly bodies: readonly string[];
      readonly spreadMs: number;
    }
  | { readonly kind: "openCount" }
  | { readonly kind: "pieceCount" }
  /** They leave in the midst of it. */
  | { readonly kind: "leave" }
  /** Answers when all of them are at their end. */
  | { readonly kind: "finish" }
  /** Each body as a search and as a summary that is left after its first event, in turns. */
  | {
      readonly kind: "pairs";
      readonly search: Target;
      readonly summary: Target;
      readonly bodies: readonly string[];
    };

export interface ReadFigures {
  readonly pieces: number;
  readonly ends: number;
  /** Milliseconds from the model's saying a piece to the reader's having it. */
  readonly wayMs: readonly number[];
}

export interface PairFigures {
  readonly searchMs: number;
  readonly firstEventMs: number;
}

const SAID_AT = /\b(\d{13}) /g;
const END = /^event: done|\[DONE\]/m;

class Reader {
  readonly wayMs: number[] = [];
  isAtEnd = false;
  ended: Promise<void> = Promise.resolve();
  #response: IncomingMessage | undefined;

  /** Milliseconds until the first bytes of the body. */
  async open(target: Target, body: string): Promise<number> {
    const start = performance.now();
    const response = await post(target, body);
    await new Promise((resolve) => response.once("readable", resolve));
    const firstMs = performance.now() - start;
    this.#response = response;
    this.ended = this.#read(response);
    return firstMs;
  }

  async leave(): Promise<void> {
    this.#response?.destroy();
    await this.ended.catch(() => undefined);
  }

  async #read(response: IncomingMessage): Promise<void> {
    let rest = "";
    for await (const chunk of response.setEncoding("utf8")) {
      rest += chunk as string;
      const whole = rest.lastIndexOf("\n\n") + 2;
      if (whole < 2) continue;
      const frames = rest.slice(0, whole);
      rest = rest.slice(whole);
      const now = Date.now();
      for (const [, saidAt] of frames.matchAll(SAID_AT)) this.wayMs.push(now - Number(saidAt));
      if (END.test(frames)) this.isAtEnd = true;
    }
  }
}

let readers: Reader[] = [];

async function pairOf(
  body: string,
  search: Target,
  summary: Target,
  isSearchFirst: boolean,
): Promise<PairFigures> {
  let searchMs = isSearchFirst ? await timeOf(search, body) : 0;
  const start = performance.now();
  const response = await post(summary, body);
  await new Promise((resolve) => response.once("readable", resolve));
  const firstEventMs = performance.now() - start;
  response.destroy();
  if (!isSearchFirst) searchMs = await timeOf(search, body);
  return { searchMs, firstEventMs };
}

answerCommands(async (command: ReadersCommand) => {
  switch (command.kind) {
    case "open": {
      const { target, bodies, spreadMs } = command;
      readers = bodies.map(() => new Reader());
      return Promise.all(
        readers.map(async (reader, i) => {
          await pause((i * spreadMs) / bodies.length);
          return reader.open(target, bodies[i]!);
        }),
      );
    }
    case "openCount":
      return readers.filter(({ isAtEnd }) => !isAtEnd).length;
    case "pieceCount":
      return readers.reduce((count, { wayMs }) => count + wayMs.length, 0);
    case "leave":
      return void (await Promise.all(readers.map((reader) => reader.leave())));
    case "finish": {
      await Promise.all(readers.map(({ ended }) => ended));
      const wayMs = readers.flatMap((reader) => reader.wayMs);
      const ends = readers.filter(({ isAtEnd }) => isAtEnd).length;
      return { pieces: wayMs.length, ends, wayMs } satisfies ReadFigures;
    }
    case "pairs": {
      const pairs: PairFigures[] = [];
      for (const [i, body] of command.bodies.entries()) {
        pairs.push(await pairOf(body, command.search, command.summary, i % 2 === 0));
        await pause(10);
      }
      return pairs;
    }
  }
});
