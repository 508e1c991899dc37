import { expect, test } from "vitest";
import { ManualClock } from "../../../tests/kit/manual-clock.js";
import { RecordingLogger } from "../../../tests/kit/recording-logger.js";
import { EventRetention } from "./event-retention.js";

const DAY = 86_400_000;

function retentionOver(deleteBefore: (time: number) => Promise<number>): {
  readonly clock: ManualClock;
  readonly logger: RecordingLogger;
  readonly retention: EventRetention;
} {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const retention = new EventRetention({ store: { deleteBefore }, clock, logger }, { days: 30 });
  return { clock, logger, retention };
}

test("forgets what is older than the days, a minute after the start and every day", async () => {
  const limits: number[] = [];
  const { clock, retention } = retentionOver(async (time) => limits.push(time));
  retention.start();
  await clock.advance(59_999);
  expect(limits).toEqual([]);
  await clock.advance(1);
  await clock.advance(2 * DAY);
  expect(limits).toEqual([0, 1, 2].map((days) => 60_000 + (days - 30) * DAY));
  await retention.stop();
  expect(clock.waiting).toBe(0);
});

test("tries again the next day where the store can't now", async () => {
  let attempts = 0;
  const { clock, logger, retention } = retentionOver(async () => {
    if (++attempts === 1) throw new Error("not now");
    return 5;
  });
  retention.start();
  await clock.advance(60_000);
  await clock.advance(DAY);
  expect(logger.lines.map(({ level }) => level)).toEqual(["error", "info"]);
  await retention.stop();
});

test("waits at a stop for the sweep under way, and begins no other", async () => {
  let finish: (events: number) => void = () => undefined;
  const { clock, retention } = retentionOver(() => new Promise((resolve) => (finish = resolve)));
  retention.start();
  await clock.advance(60_000);
  let stopped = false;
  const stopping = retention.stop().then(() => (stopped = true));
  await new Promise((settled) => setImmediate(settled));
  expect(stopped).toBe(false);
  finish(0);
  await stopping;
  expect(clock.waiting).toBe(0);
});
