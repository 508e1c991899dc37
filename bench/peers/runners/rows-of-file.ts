import { closeSync, openSync, readSync } from "node:fs";
import type { PeerRow } from "../peer-query.js";

/** As much as Tantivy's runner reads at a time; a longer line gets a longer buffer. */
const BUFFER_BYTES = 1 << 20;
const NEWLINE = 0x0a;

/** The input's rows, read into one buffer: what is measured is building, not streams of lines. */
export class RowsOfFile {
  readonly #descriptor: number;
  #buffer: Buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #start = 0;
  #end = 0;
  #isAtEnd = false;

  constructor(file: string) {
    this.#descriptor = openSync(file, "r");
  }

  /** Null behind the last. */
  next(): PeerRow | null {
    for (;;) {
      const newline = this.#buffer.indexOf(NEWLINE, this.#start);
      const lineEnd = newline >= 0 && newline < this.#end ? newline : this.#isAtEnd ? this.#end : -1;
      if (lineEnd > this.#start) {
        const line = this.#buffer.toString("utf8", this.#start, lineEnd);
        this.#start = lineEnd + 1;
        return JSON.parse(line) as PeerRow;
      }
      if (newline === this.#start && newline < this.#end) this.#start++;
      else if (this.#isAtEnd) return null;
      else this.#read();
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  /** Reads on behind what is left of a line. */
  #read(): void {
    const length = this.#end - this.#start;
    if (length === this.#buffer.length) this.#buffer = Buffer.concat([this.#buffer], 2 * length);
    else this.#buffer.copyWithin(0, this.#start, this.#end);
    const read = readSync(this.#descriptor, this.#buffer, length, this.#buffer.length - length, null);
    this.#start = 0;
    this.#end = length + read;
    this.#isAtEnd = read === 0;
  }
}
