import type { Clock } from "../../ports/clock.js";
import type { Logger } from "../../ports/logger.js";

export interface SchedulePorts {
  readonly clock: Clock;
  readonly logger: Logger;
  /** When the newest backup was begun, by the clock that its server had then; null without any. */
  newestAtMs(): Promise<number | null>;
  run(): Promise<void>;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const UNIT_MS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: 60 * MINUTE_MS, d: DAY_MS };

/** Not with the start itself, which has enough to do. */
const FIRST_LOOK_MS = MINUTE_MS;
/** Longer alarms aren't set: clocks jump, and others may make backups, too. */
const LOOK_MS_MAX = 10 * MINUTE_MS;

/**
 * Makes backups by themselves. What counts is the newest backup in the store, whoever made it: one that is overdue, since
 * the server was down or the store away, is made a minute after the start, or ten after a failure.
 */
export class BackupSchedule {
  readonly #schedule: string;
  readonly #ports: SchedulePorts;
  #alarm: { cancel(): void } | null = null;
  #look: Promise<void> = Promise.resolve();
  #nextAtMs: number | null = null;
  #isStopped = false;

  /** @param schedule as `BackupOptions.schedule` */
  constructor(schedule: string, ports: SchedulePorts) {
    this.#schedule = schedule;
    this.#ports = ports;
  }

  /** When the next one is due; null before that is known. */
  get nextAtMs(): number | null {
    return this.#nextAtMs;
  }

  start(): void {
    this.#lookAfter(FIRST_LOOK_MS);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#alarm?.cancel();
    await this.#look;
  }

  #lookAfter(delayMs: number): void {
    if (this.#isStopped) return;
    this.#alarm = this.#ports.clock.after(delayMs, () => {
      this.#look = this.#lookNow();
    });
  }

  async #lookNow(): Promise<void> {
    const { clock, logger } = this.#ports;
    let delayMs = LOOK_MS_MAX;
    try {
      this.#nextAtMs = nextBackupAt(this.#schedule, await this.#ports.newestAtMs(), clock.now());
      if (this.#nextAtMs <= clock.now()) {
        await this.#ports.run();
        this.#nextAtMs = nextBackupAt(this.#schedule, clock.now(), clock.now());
      }
      delayMs = Math.min(LOOK_MS_MAX, Math.max(1_000, this.#nextAtMs - clock.now()));
    } catch (error) {
      if (!this.#isStopped)
        logger.error("no backup could be made; the next attempt is in ten minutes", {}, error);
    }
    this.#lookAfter(delayMs);
  }
}

/**
 * When the next backup is due, which may be in the past. A clock that was set back makes none missed and none double: the
 * newest one counts though it is of the future, unless by so much that its own clock must have been wrong.
 *
 * @param schedule `90m`, `6h`, `2d`, or `03:30` for once a day in UTC
 * @param newestAtMs when the newest one was begun; null without any
 */
export function nextBackupAt(schedule: string, newestAtMs: number | null, nowMs: number): number {
  const [, count, unit] = /^(\d+)([mhd])$/.exec(schedule) ?? [];
  const periodMs = count === undefined ? DAY_MS : Number(count) * UNIT_MS[unit!]!;
  if (newestAtMs === null || newestAtMs > nowMs + periodMs) return nowMs;
  if (count !== undefined) return newestAtMs + periodMs;
  const [hour, minute] = schedule.split(":").map(Number);
  const midnight = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const today = midnight + (hour! * 60 + minute!) * MINUTE_MS;
  const last = today <= nowMs ? today : today - DAY_MS;
  return newestAtMs >= last ? last + DAY_MS : last;
}
