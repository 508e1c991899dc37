import { writeSync } from "node:fs";
import { Socket } from "node:net";

/** What is written by one call at most, and how long a line waits for others. */
const GATHERED_LENGTH = 4_096;
const GATHERED_MS = 100;
/** What waits in memory for a reader that takes its time; more is lost. */
const WAITING_BYTES_MAX = 512 * 1024;

const LINE_END = 0x0a;

/**
 * Standard error as the place of log lines, several by one write: a line for each request would otherwise cost a third
 * of a quick one's time. Writing never fails and never waits: lines that a full disk refuses, that a reader who has gone
 * doesn't get, or that one who doesn't read leaves no memory for, are lost and counted, and the next line that gets
 * through comes behind one that says how many.
 */
export class LogOutput {
  readonly #stream: typeof process.stderr = process.stderr;
  /** Pipes and terminals are streams of Node's, which wait for their readers; files are written where they are. */
  readonly #isFile: boolean = !(process.stderr instanceof Socket);
  readonly #noticeOf: (lostLines: number) => string;
  #gathered: string[] = [];
  #gatheredLength = 0;
  #lostLines = 0;
  /** How many no line has told of yet. */
  #untoldLines = 0;
  /** Whether a file's last line broke off. */
  #isMidLine = false;
  #timer: ReturnType<typeof setTimeout> | null = null;

  /** @param noticeOf the line, with its end, that tells of lost ones */
  constructor(noticeOf: (lostLines: number) => string) {
    this.#noticeOf = noticeOf;
    this.#stream.on("error", ignore);
    process.once("exit", this.flush);
  }

  /** Lines that were lost since the start. */
  get lostLines(): number {
    return this.#lostLines;
  }

  /** One line with its end, to be written within a tenth of a second. */
  write(line: string): void {
    this.#gathered.push(line);
    this.#gatheredLength += line.length;
    if (this.#gatheredLength >= GATHERED_LENGTH) this.flush();
    else this.#timer ??= setTimeout(this.flush, GATHERED_MS).unref();
  }

  /** Writes what has been gathered. */
  readonly flush = (): void => {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const lines = this.#gathered;
    if (lines.length === 0) return;
    this.#gathered = [];
    this.#gatheredLength = 0;
    if (this.#isFile) this.#writeToFile(lines);
    else this.#writeToStream(lines);
  };

  /** Writes what is left, and leaves standard error as it was found. */
  close(): void {
    this.flush();
    process.off("exit", this.flush);
    this.#stream.off("error", ignore);
  }

  #writeToStream(lines: readonly string[]): void {
    if (this.#stream.writableLength >= WAITING_BYTES_MAX) {
      this.#lose(lines.length);
      return;
    }
    const told = this.#untoldLines;
    this.#untoldLines = 0;
    this.#stream.write(this.#notice(told) + lines.join(""), (error) => {
      if (error === null || error === undefined) return;
      this.#untoldLines += told;
      this.#lose(lines.length);
    });
  }

  #writeToFile(lines: readonly string[]): void {
    const beginning = Buffer.from(`${this.#isMidLine ? "\n" : ""}${this.#notice(this.#untoldLines)}`);
    const bytes = Buffer.concat([beginning, Buffer.from(lines.join(""))]);
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(this.#stream.fd, bytes, written);
    } catch {
      // Whatever the reason is, what isn't written is lost.
    }
    if (written > 0) this.#isMidLine = bytes[written - 1] !== LINE_END;
    if (written >= beginning.length) this.#untoldLines = 0;
    let end = beginning.length;
    this.#lose(lines.filter((line) => (end += Buffer.byteLength(line)) > written).length);
  }

  #notice(lostLines: number): string {
    return lostLines === 0 ? "" : this.#noticeOf(lostLines);
  }

  #lose(lines: number): void {
    this.#lostLines += lines;
    this.#untoldLines += lines;
  }
}

/** The callback of each write learns of it. */
function ignore(): void {}
