import { formatBytes, formatCount, formatDuration } from "./format-amount.js";

export interface Progress {
  /** Done by this run. */
  readonly documents: number;
  /** How far the work has come, in bytes of the input. */
  readonly bytesDone: number;
  /** Where this run began: more than 0 where it goes on with an earlier one. */
  readonly bytesBefore: number;
  /** Undefined where the size of the input isn't known, as with standard input. */
  readonly bytesTotal: number | undefined;
  /** Since this run began. */
  readonly seconds: number;
}

/** What is asked of a stream, such as standard error. */
interface LineStream {
  readonly isTTY: boolean;
  /** How wide a terminal is. */
  readonly columns?: number;
  write(text: string): unknown;
}

const REDRAW_MS = 100;
const PLAIN_LINE_MS = 5_000;
const BAR_WIDTH = 24;

/** Draws one line that follows the work: on a terminal in place, elsewhere as a plain line every few seconds. */
export class ProgressBar {
  readonly #stream: LineStream;
  readonly #now: () => number;
  readonly #intervalMs: number;
  #drawnAt: number;
  #isOnScreen = false;

  constructor(stream: LineStream, now: () => number = () => performance.now()) {
    this.#stream = stream;
    this.#now = now;
    this.#drawnAt = now();
    this.#intervalMs = stream.isTTY ? REDRAW_MS : PLAIN_LINE_MS;
  }

  update(progress: Progress): void {
    const now = this.#now();
    if (now - this.#drawnAt < this.#intervalMs) return;
    this.#drawnAt = now;
    const line = formatProgress(progress);
    if (this.#stream.isTTY) {
      this.#stream.write(`\r\x1b[2K${line.slice(0, Math.max(20, (this.#stream.columns ?? 80) - 1))}`);
      this.#isOnScreen = true;
    } else {
      this.#stream.write(`${line}\n`);
    }
  }

  /** Takes the line off the terminal, so that other text may follow; the next update draws it again. */
  clear(): void {
    if (this.#isOnScreen) this.#stream.write("\r\x1b[2K");
    this.#isOnScreen = false;
  }
}

/**
 * The line itself, for example `[######......] 50%  1,000 docs  500 docs/s  2.0 s left`. Rate and
 * remaining time are averages of this run.
 */
export function formatProgress(progress: Progress): string {
  const { documents, bytesDone, bytesBefore, bytesTotal, seconds } = progress;
  const rate = seconds > 0 ? documents / seconds : 0;
  const counts = `${formatCount(documents)} docs  ${formatCount(rate)} docs/s`;
  if (bytesTotal === undefined || bytesTotal === 0) return `${formatBytes(bytesDone)}  ${counts}`;
  const done = Math.min(1, bytesDone / bytesTotal);
  const filled = Math.floor(done * BAR_WIDTH);
  const bar = `[${"#".repeat(filled)}${".".repeat(BAR_WIDTH - filled)}] ${Math.floor(done * 100)}%`;
  const secondsLeft = (seconds * (bytesTotal - bytesDone)) / (bytesDone - bytesBefore);
  const left = bytesDone > bytesBefore ? `  ${formatDuration(Math.max(0, secondsLeft))} left` : "";
  return `${bar}  ${counts}${left}`;
}
