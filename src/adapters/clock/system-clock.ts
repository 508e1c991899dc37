import type { Clock } from "../../ports/clock.js";

/** The machine's time. No timer of it keeps the process from ending. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs).unref();
    return { cancel: () => clearTimeout(timer) };
  },
};
