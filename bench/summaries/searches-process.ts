import { Agent } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { answerCommands } from "./part.js";
import { type Target, timeOf } from "./post.js";

export interface SearchesCommand {
  readonly target: Target;
  /** Asked for two at a time, no pair twice while there are pairs left. */
  readonly words: readonly string[];
  readonly seconds: number;
  readonly pauseMs: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let count = 0;

/** Milliseconds of each search, one after the other. */
answerCommands(async ({ target, words, seconds, pauseMs }: SearchesCommand) => {
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    const first = words[count % words.length]!;
    const second = words[(count + 1 + Math.floor(count / words.length)) % words.length]!;
    count++;
    times.push(
      await timeOf(target, JSON.stringify({ query: { exact: { ctx: `${first} ${second}` } } }), agent),
    );
    await pause(pauseMs);
  }
  return times;
});
