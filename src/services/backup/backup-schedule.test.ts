// Properties: what counts is the newest backup, whoever made it: a backup is due as long after it as the schedule says, or
// at its time of day; one that is overdue is made a minute after the start, ten after a failure; none after the stop. What
// becomes of the clock on the wall, by summer time or by hand, makes none missed and none double.
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../../tests/kit/manual-clock.js";
import { RecordingLogger } from "../../../tests/kit/recording-logger.js";
import { BackupSchedule, nextBackupAt } from "./backup-schedule.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** On a day on which no clock is changed. */
const NOON = Date.UTC(2026, 5, 10, 12, 0, 0);
const NOW = Date.UTC(2026, 10, 26, 12, 0, 0);

test.each([
  ["30m", null, NOW],
  ["30m", NOW - 10 * MINUTE, NOW + 20 * MINUTE],
  ["6h", NOW - 7 * HOUR, NOW - HOUR],
  ["2d", NOW, NOW + 2 * DAY],
  ["03:30", null, NOW],
  // Today's was made, and waits for tomorrow's time.
  ["03:30", NOW - 8 * HOUR, Date.UTC(2026, 10, 27, 3, 30)],
  // The last one was yesterday's: today's is overdue.
  ["03:30", NOW - DAY, Date.UTC(2026, 10, 26, 3, 30)],
  ["18:00", NOW - 5 * HOUR, Date.UTC(2026, 10, 26, 18, 0)],
  ["18:00", NOW - DAY, Date.UTC(2026, 10, 25, 18, 0)],
])("%s with the newest at %s is due at %s", (schedule, newest, due) => {
  expect(nextBackupAt(schedule, newest, NOW)).toBe(due);
});

test("once a day there is one, whenever the server looks", () => {
  const times = fc.record({
    minute: fc.integer({ min: 0, max: 24 * 60 - 1 }),
    looks: fc.array(fc.integer({ min: 1, max: 10 }), { minLength: 50, maxLength: 800 }),
  });
  fc.assert(
    fc.property(times, ({ minute, looks }) => {
      const two = (number: number): string => String(number).padStart(2, "0");
      const schedule = `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
      let now = NOW;
      let newest: number | null = NOW;
      const made: number[] = [];
      for (const minutes of looks) {
        now += minutes * MINUTE;
        if (nextBackupAt(schedule, newest, now) > now) continue;
        newest = now;
        made.push(now);
      }
      const at = (day: number): number => Math.floor(NOW / DAY) * DAY + day * DAY + minute * MINUTE;
      const days = [0, 1, 2, 3, 4, 5, 6].filter((day) => at(day) > NOW && at(day) <= now);
      expect(made).toHaveLength(days.length);
      for (const [i, day] of days.entries()) {
        expect(made[i]).toBeGreaterThanOrEqual(at(day));
        expect(made[i]! - at(day)).toBeLessThanOrEqual(10 * MINUTE);
      }
    }),
  );
});

/** A schedule over a store that holds the time of its newest backup alone. */
class Scheduled {
  readonly clock: ManualClock = new ManualClock();
  readonly logger: RecordingLogger = new RecordingLogger();
  readonly schedule: BackupSchedule;
  /** Minutes since the start. */
  readonly made: number[] = [];
  readonly #startMs: number;
  newestAtMs: number | null;
  fails = false;

  constructor(schedule: string, newestAgoMs: number | null, startMs = 0) {
    this.clock.set(startMs);
    this.#startMs = startMs;
    this.newestAtMs = newestAgoMs === null ? null : this.clock.now() - newestAgoMs;
    this.schedule = new BackupSchedule(schedule, {
      clock: this.clock,
      logger: this.logger,
      newestAtMs: () => Promise.resolve(this.newestAtMs),
      run: () => {
        if (this.fails) return Promise.reject(new Error("the store is away"));
        this.newestAtMs = this.clock.now();
        this.made.push((this.clock.now() - this.#startMs) / MINUTE);
        return Promise.resolve();
      },
    });
    this.schedule.start();
  }

  /** In steps, as each look sets the next alarm. */
  async pass(minutes: number): Promise<void> {
    for (let i = 0; i < minutes; i++) await this.clock.advance(MINUTE);
  }
}

test("one that is overdue is made a minute after the start, and the next ones in time", async () => {
  const scheduled = new Scheduled("30m", 2 * HOUR);
  await scheduled.pass(95);
  expect(scheduled.made).toEqual([1, 31, 61, 91]);
  expect(scheduled.schedule.nextAtMs).toBe(scheduled.newestAtMs! + 30 * MINUTE);
});

test("one that somebody else has made meanwhile counts", async () => {
  const scheduled = new Scheduled("1h", 30 * MINUTE);
  await scheduled.pass(25);
  scheduled.newestAtMs = scheduled.clock.now();
  await scheduled.pass(59);
  expect(scheduled.made).toEqual([]);
  await scheduled.pass(12);
  expect(scheduled.made).toHaveLength(1);
});

test("after a failure it is tried again in ten minutes, and each failure is logged", async () => {
  const scheduled = new Scheduled("6h", null);
  scheduled.fails = true;
  await scheduled.pass(25);
  expect(scheduled.made).toEqual([]);
  expect(scheduled.logger.lines.map(({ level }) => level)).toEqual(["error", "error", "error"]);
  scheduled.fails = false;
  await scheduled.pass(10);
  expect(scheduled.made).toEqual([31]);
});

describe("in a time zone that changes to and from summer time", () => {
  const zone = process.env["TZ"];
  afterEach(() => {
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
  });

  const changes = [
    ["Europe/Berlin", Date.UTC(2026, 2, 28), Date.UTC(2026, 9, 24)],
    ["America/New_York", Date.UTC(2026, 2, 7), Date.UTC(2026, 9, 31)],
    ["Australia/Lord_Howe", Date.UTC(2026, 3, 3), Date.UTC(2026, 9, 2)],
  ] as const;
  test.each(changes)("there is one at its time of each day: %s", async (name, ...starts) => {
    process.env["TZ"] = name;
    for (const start of starts) {
      // Else the test's own runtime wouldn't know the zone.
      expect(new Date(start).getTimezoneOffset()).not.toBe(new Date(start + 4 * DAY).getTimezoneOffset());
      for (const time of ["00:30", "01:30", "02:30", "06:30", "16:00"]) {
        const scheduled = new Scheduled(time, 0, start);
        await scheduled.pass(4 * 24 * 60);
        const [hour, minute] = time.split(":").map(Number);
        const first = hour! * 60 + minute!;
        expect(scheduled.made, time).toEqual([0, 1, 2, 3].map((day) => day * 24 * 60 + first));
      }
      const each = new Scheduled("6h", 0, start);
      await each.pass(4 * 24 * 60);
      expect(each.made).toEqual(Array.from({ length: 16 }, (_, n) => (n + 1) * 360));
    }
  });
});

describe("a clock that was set back", () => {
  test("by an hour right after the day's backup: it isn't made again, and the next day's is", async () => {
    const scheduled = new Scheduled("03:30", 0, NOON);
    await scheduled.pass(16 * 60);
    expect(scheduled.made).toHaveLength(1);
    scheduled.clock.set(scheduled.clock.now() - HOUR);
    await scheduled.pass(20 * 60);
    expect(scheduled.made).toHaveLength(1);
    await scheduled.pass(5 * 60);
    expect(scheduled.made).toHaveLength(2);
  });

  test.each(["6h", "03:30"])(
    "from a year that was wrong: %s goes on at once, and then in time",
    async (each) => {
      const scheduled = new Scheduled(each, 0, NOON + 400 * DAY);
      await scheduled.pass(10);
      scheduled.clock.set(NOON);
      await scheduled.pass(20);
      expect(scheduled.made).toHaveLength(1);
      await scheduled.pass(24 * 60);
      expect(scheduled.made).toHaveLength(each === "6h" ? 5 : 2);
    },
  );
});

test("nothing is made after the stop", async () => {
  const scheduled = new Scheduled("30m", null);
  await scheduled.pass(2);
  await scheduled.schedule.stop();
  await scheduled.pass(120);
  expect(scheduled.made).toEqual([1]);
});
