import { formatBytes, formatCount, formatDuration } from "./format-amount.js";

export interface Progress {
  readonly documents: number;
  readonly bytesRead: number;
  /** Undefined where the size of the input isn't known, as with standard input. */
  readonly bytesTotal: number | undefined;
}

const REDRAW_MS = 100;
const PLAIN_LINE_MS = 5_000;
const BAR_WIDTH = 24;

/**
 * Draws one line that follows the work: on a terminal in place, elsewhere as a plain line every few
 * seconds. Rate and remaining time are averages since the start.
 */
export class ProgressBar {
  readonly #stream: NodeJS.WriteStream;
  readonly #now: () => number;
  readonly #startedAt: number;
  readonly #intervalMs: number;
  #drawnAt: number;
  #isOnScreen = false;

  constructor(stream: NodeJS.WriteStream, now: () => number = () => performance.now()) {
    this.#stream = stream;
    this.#now = now;
    this.#startedAt = now();
    this.#drawnAt = this.#startedAt;
    this.#intervalMs = stream.isTTY ? REDRAW_MS : PLAIN_LINE_MS;
  }

  update(progress: Progress): void {
    const now = this.#now();
    if (now - this.#drawnAt < this.#intervalMs) return;
    this.#drawnAt = now;
    const line = formatProgress(progress, (now - this.#startedAt) / 1000);
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

/** The line itself, for example `[######......] 50%  1,000 docs  500 docs/s  2.0 s left`. */
export function formatProgress(progress: Progress, seconds: number): string {
  const rate = seconds > 0 ? progress.documents / seconds : 0;
  const counts = `${formatCount(progress.documents)} docs  ${formatCount(rate)} docs/s`;
  const { bytesTotal, bytesRead } = progress;
  if (bytesTotal === undefined || bytesTotal === 0) return `${formatBytes(bytesRead)}  ${counts}`;
  const done = Math.min(1, bytesRead / bytesTotal);
  const filled = Math.floor(done * BAR_WIDTH);
  const bar = `[${"#".repeat(filled)}${".".repeat(BAR_WIDTH - filled)}] ${Math.floor(done * 100)}%`;
  const left = done > 0 ? `  ${formatDuration((seconds * (1 - done)) / done)} left` : "";
  return `${bar}  ${counts}${left}`;
}
