/** A line and its place among all since the start. */
interface NumberedLine {
  readonly number: number;
  readonly text: string;
}

/** Characters of a line that are kept. */
const LINE_LENGTH_MAX = 8_000;

/** The last lines of the log in memory. */
export class LogRing {
  readonly #lines: string[] = [];
  readonly #linesMax: number;
  #count = 0;

  constructor(linesMax: number) {
    this.#linesMax = linesMax;
  }

  /** @param line with its end */
  add(line: string): void {
    this.#lines[this.#count % this.#linesMax] = line;
    this.#count++;
  }

  /** The last line's number, from 1. */
  get last(): number {
    return this.#count;
  }

  linesAfter(number: number): readonly NumberedLine[] {
    const lines: NumberedLine[] = [];
    for (let at = Math.max(number, this.#count - this.#linesMax); at < this.#count; at++) {
      const text = this.#lines[at % this.#linesMax]!.trimEnd().slice(0, LINE_LENGTH_MAX);
      lines.push({ number: at + 1, text });
    }
    return lines;
  }
}
