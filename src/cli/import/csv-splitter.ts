import { MalformedInputError, PartialRecord, type RawRecord, type RecordSplitter } from "./raw-record.js";

const QUOTE = 0x22;
const NEWLINE = 10;
const CARRIAGE_RETURN = 13;

/**
 * The rows of a CSV file (RFC 4180): a line break inside quotes belongs to the row. A quote opens
 * quotes only as the first character of a cell; elsewhere it is a character like any other.
 * Blank lines are left out. The delimiter is one ASCII character.
 */
export class CsvSplitter implements RecordSplitter {
  readonly #delimiter: number;
  readonly #partial = new PartialRecord();
  #line = 1;
  #recordLine = 1;
  #isAtCellStart = true;
  #isQuoted = false;
  /** Quotes have just been closed, or this was the first of a doubled quote. */
  #isAfterQuote = false;

  constructor(delimiter: string) {
    this.#delimiter = delimiter.charCodeAt(0);
  }

  push(chunk: Uint8Array): readonly RawRecord[] {
    const records: RawRecord[] = [];
    let start = 0;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]!;
      if (byte === NEWLINE) {
        this.#line++;
        if (this.#isQuoted) continue;
        this.#complete(chunk.subarray(start, i), records);
        start = i + 1;
      } else if (this.#isQuoted) {
        if (byte === QUOTE) {
          this.#isQuoted = false;
          this.#isAfterQuote = true;
        }
      } else if (byte === QUOTE && (this.#isAtCellStart || this.#isAfterQuote)) {
        this.#isQuoted = true;
        this.#isAtCellStart = false;
        this.#isAfterQuote = false;
      } else {
        this.#isAtCellStart = byte === this.#delimiter;
        this.#isAfterQuote = false;
      }
    }
    this.#partial.add(chunk.subarray(start), this.#recordLine);
    return records;
  }

  end(): readonly RawRecord[] {
    if (this.#isQuoted) {
      throw new MalformedInputError(this.#recordLine, "a quote in the row that begins here is never closed");
    }
    const records: RawRecord[] = [];
    this.#complete(new Uint8Array(0), records);
    return records;
  }

  #complete(piece: Uint8Array, records: RawRecord[]): void {
    let bytes = this.#partial.complete(piece);
    if (bytes.at(-1) === CARRIAGE_RETURN) bytes = bytes.subarray(0, -1);
    if (bytes.length > 0) records.push({ line: this.#recordLine, bytes });
    this.#recordLine = this.#line;
    this.#isAtCellStart = true;
    this.#isAfterQuote = false;
  }
}

/**
 * The cells of one row.
 *
 * @throws Error saying what is wrong with the row
 */
export function parseCsvRow(row: string, delimiter: string): readonly string[] {
  const cells: string[] = [];
  let position = 0;
  for (;;) {
    if (row[position] !== '"') {
      const end = row.indexOf(delimiter, position);
      cells.push(end < 0 ? row.slice(position) : row.slice(position, end));
      if (end < 0) return cells;
      position = end + 1;
      continue;
    }
    let cell = "";
    position++;
    for (;;) {
      const quote = row.indexOf('"', position);
      if (quote < 0) throw new Error(`cell ${cells.length + 1} opens a quote and doesn't close it`);
      cell += row.slice(position, quote);
      position = quote + 1;
      if (row[position] !== '"') break;
      cell += '"';
      position++;
    }
    cells.push(cell);
    if (position === row.length) return cells;
    if (row[position] !== delimiter) throw new Error(`cell ${cells.length} goes on after its closing quote`);
    position++;
  }
}
