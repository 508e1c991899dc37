import { MalformedInputError, PartialRecord, type RawRecord, type RecordSplitter } from "./raw-record.js";

const QUOTE = 0x22;
const NEWLINE = 10;
const CARRIAGE_RETURN = 13;

const NOTHING = new Uint8Array(0);
const UNCLOSED = "a quote in the row that begins here is never closed";

/**
 * The rows of a CSV file (RFC 4180): a line break inside quotes belongs to the row. A quote opens
 * quotes only as the first character of a cell; elsewhere it is a character like any other.
 * Blank lines are left out, and so are rows of empty cells, with which spreadsheets fill a table up. Rows end with LF, which
 * CRs may precede, or each with a CR alone, as the first one does. A quote that is never closed spoils the line that opened it alone: the
 * rows begin anew behind that. The delimiter is one ASCII character.
 */
export class CsvSplitter implements RecordSplitter {
  readonly #delimiter: number;
  #rereadLeft: number;
  readonly #partial = new PartialRecord();
  #line = 1;
  #recordLine = 1;
  #isAtCellStart = true;
  #isQuoted = false;
  /** Quotes have just been closed, or this was the first of a doubled quote. */
  #isAfterQuote = false;
  #lineEnd = NEWLINE;
  /** Whether a line has ended; until then the bytes show what ends one. */
  #hasLineEnd = false;
  /** The byte before was a CR outside quotes, in the first line. */
  #isAfterReturn = false;

  /** @param rereadMax bytes that may be read anew behind quotes that are never closed */
  constructor(delimiter: string, rereadMax: number = Number.POSITIVE_INFINITY) {
    this.#delimiter = delimiter.charCodeAt(0);
    this.#rereadLeft = rereadMax;
  }

  push(pushed: Uint8Array): readonly RawRecord[] {
    const records: RawRecord[] = [];
    let chunk = pushed;
    let start = 0;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]!;
      if (!this.#hasLineEnd && this.#findsReturnAlone(byte)) {
        this.#line++;
        this.#complete(chunk.subarray(start, i), records);
        start = i;
      }
      if (byte === this.#lineEnd) {
        this.#line++;
        if (this.#isQuoted) continue;
        this.#hasLineEnd = true;
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
      } else if (this.#isAfterQuote && this.#isStray(byte)) {
        // The quote that was to end a cell begins another one, so it is the one before that was never closed.
        this.#partial.add(chunk.subarray(start));
        chunk = this.#dropLine(records);
        start = 0;
        i = -1;
      } else {
        this.#isAtCellStart = byte === this.#delimiter;
        this.#isAfterQuote = false;
      }
    }
    this.#partial.add(chunk.subarray(start));
    return records;
  }

  end(): readonly RawRecord[] {
    const records: RawRecord[] = [];
    while (this.#isQuoted) for (const record of this.push(this.#dropLine(records))) records.push(record);
    this.#complete(NOTHING, records);
    return records;
  }

  /** Whether the byte shows that the CR before it has ended the first line by itself. */
  #findsReturnAlone(byte: number): boolean {
    const isAlone = this.#isAfterReturn && byte !== NEWLINE && byte !== CARRIAGE_RETURN;
    this.#isAfterReturn = byte === CARRIAGE_RETURN && !this.#isQuoted;
    if (!isAlone) return false;
    this.#lineEnd = CARRIAGE_RETURN;
    this.#hasLineEnd = true;
    return true;
  }

  /** Whether the byte can't follow closing quotes, in a row of several lines. */
  #isStray(byte: number): boolean {
    const isExpected = byte === this.#delimiter || byte === CARRIAGE_RETURN;
    return !isExpected && this.#line > this.#recordLine && !this.#partial.isTooLong;
  }

  /** Makes the first line of the row a bad record, and gives back what follows it, to be read anew. */
  #dropLine(records: RawRecord[]): Uint8Array {
    const record = this.#partial.complete(NOTHING, this.#recordLine);
    this.#rereadLeft -= record.bytes.length;
    if (this.#rereadLeft < 0) throw new MalformedInputError("too many quotes are never closed");
    const lineEnd = record.bytes.indexOf(this.#lineEnd);
    const lineLength = lineEnd < 0 ? record.bytes.length : lineEnd;
    records.push({ problem: UNCLOSED, ...record, bytes: record.bytes.subarray(0, lineLength) });
    this.#line = record.line + 1;
    this.#startRow();
    return record.bytes.subarray(lineLength + 1);
  }

  #complete(piece: Uint8Array, records: RawRecord[]): void {
    const record = this.#partial.complete(piece, this.#recordLine);
    let { length } = record.bytes;
    while (record.bytes[length - 1] === CARRIAGE_RETURN) length--;
    const bytes = record.bytes.subarray(0, length);
    const isBlank = bytes.every((byte) => byte === this.#delimiter);
    if (record.problem !== undefined || !isBlank) records.push({ ...record, bytes });
    this.#startRow();
  }

  #startRow(): void {
    this.#recordLine = this.#line;
    this.#isAtCellStart = true;
    this.#isAfterQuote = false;
    this.#isQuoted = false;
  }
}

/** The line that Excel takes the delimiter from, before the row of names. */
export const DELIMITER_LINE: RegExp = /^sep=(.)\r*$/i;

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
