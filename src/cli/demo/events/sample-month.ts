import type { MeasureEventDraft } from "../../../client/index.js";
import { RandomSource, WeightedChoice } from "./random-source.js";
import { sessionEvents } from "./sample-session.js";
import { type SamplePackage, SampleTerms } from "./sample-terms.js";
import { sampleVisitors } from "./sample-visitors.js";

export interface SampleMonthOptions {
  readonly packages: readonly SamplePackage[];
  /** The index that is searched. */
  readonly index: string;
  /** Milliseconds since the Unix epoch; nothing happens then or later. */
  readonly end: number;
  /** One seed and end always give the same events. */
  readonly seed: number;
}

export const SAMPLE_DAYS = 30;

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const VISITORS = 900;
const SESSIONS_PER_DAY = 130;
/** From Sunday on. */
const WEEKDAYS = [0.62, 1.05, 1.12, 1.1, 1.06, 0.95, 0.58];
/** By the visitor's own clock: work in the morning and afternoon, leisure in the evening, sleep. */
const HOURS = [2, 1, 1, 1, 1, 2, 4, 7, 11, 14, 15, 14, 11, 13, 15, 14, 13, 11, 10, 11, 12, 11, 8, 4];
/** The sample becomes known: so much more with each day. */
const GROWTH = 1.008;

/**
 * A month of a search's use, up to the end: more on weekdays and by day, wherever the visitor's day is.
 * Session by session; within a session in order.
 */
export function* sampleMonth({
  packages,
  index,
  end,
  seed,
}: SampleMonthOptions): Generator<MeasureEventDraft> {
  const random = new RandomSource(seed);
  const terms = new SampleTerms(packages, seed);
  const visitors = sampleVisitors(VISITORS, random);
  const hours = new WeightedChoice(
    HOURS.map((_, hour) => hour),
    HOURS,
  );
  for (let day = 0; day < SAMPLE_DAYS; day++) {
    const dayStart = end - (SAMPLE_DAYS - day) * DAY_MS;
    const midnight = Math.floor(dayStart / DAY_MS) * DAY_MS;
    const weekday = WEEKDAYS[new Date(midnight).getUTCDay()]!;
    const sessions = random.poisson(SESSIONS_PER_DAY * weekday * GROWTH ** day);
    for (let number = 0; number < sessions; number++) {
      const visitor = visitors.draw(random);
      const localHour = hours.draw(random) + random.next();
      const sinceMidnight = (localHour - visitor.hoursAhead) * HOUR_MS;
      // The same hour of the day, but between this day's start and the next one's.
      const start = dayStart + modulo(midnight + sinceMidnight - dayStart, DAY_MS);
      const id = `demo-session-${day + 1}-${number + 1}`;
      for (const event of sessionEvents({ id, index, visitor, start }, terms, random)) {
        if (Number(event.received_at) * 1000 < end) yield event;
      }
    }
  }
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
