import { Agent } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { answerCommands } from "../summaries/part.js";
import { type Target, timeOf } from "../summaries/post.js";

export interface SearchesCommand {
  readonly target: Target;
  readonly bodies: readonly string[];
  readonly perSecond: number;
  /** Searches go on for so long, or until `stop` is sent. */
  readonly seconds: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/**
 * Milliseconds of each search. They begin at a steady rate, whether the ones before have been answered
 * or not, and the time counts from when each should have begun: a server that stands still for a while
 * shows in all that were due meanwhile.
 */
answerCommands(async ({ target, bodies, perSecond, seconds }: SearchesCommand) => {
  const times: Promise<number>[] = [];
  const start = performance.now();
  for (let i = 0; i < seconds * perSecond; i++) {
    const due = start + (i * 1000) / perSecond;
    const wait = due - performance.now();
    if (wait > 0) await pause(wait);
    const late = Math.max(0, performance.now() - due);
    times.push(timeOf(target, bodies[i % bodies.length]!, agent).then((time) => time + late));
  }
  return Promise.all(times);
});
