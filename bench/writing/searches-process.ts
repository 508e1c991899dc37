import { Agent } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { answerCommands } from "../summaries/part.js";
import { type Target, timeOf, WasRefused } from "../summaries/post.js";

export interface SearchesCommand {
  readonly target: Target;
  readonly bodies: readonly string[];
  readonly perSecond: number;
  /** Searches go on for so long, or until `stop` is sent. */
  readonly seconds: number;
}

export interface SearchTimes {
  /** Milliseconds of each search that was answered. */
  readonly times: readonly number[];
  /** Searches that were told to come again (429), which take part in no percentile. */
  readonly refused: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/**
 * Times of searches. They begin at a steady rate, whether the ones before have been answered
 * or not, and the time counts from when each should have begun: a server that stands still for a while
 * shows in all that were due meanwhile.
 */
answerCommands(async ({ target, bodies, perSecond, seconds }: SearchesCommand): Promise<SearchTimes> => {
  const answers: Promise<number | null>[] = [];
  const start = performance.now();
  for (let i = 0; i < seconds * perSecond; i++) {
    const due = start + (i * 1000) / perSecond;
    const wait = due - performance.now();
    if (wait > 0) await pause(wait);
    const late = Math.max(0, performance.now() - due);
    answers.push(
      timeOf(target, bodies[i % bodies.length]!, agent).then(
        (time) => time + late,
        (error: unknown) => {
          if (error instanceof WasRefused) return null;
          throw error;
        },
      ),
    );
  }
  const times = (await Promise.all(answers)).filter((time) => time !== null);
  return { times, refused: answers.length - times.length };
});
