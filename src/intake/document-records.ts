import { isUtf8 } from "node:buffer";
import { FindlingError } from "../errors/index.js";
import { CsvSplitter, DELIMITER_LINE, parseCsvRow } from "./csv-splitter.js";
import { LineSplitter } from "./line-splitter.js";
import { type BodyMemory, JsonRefusal, parseJsonElement } from "./parse-json-body.js";
import { MalformedInputError, type RawRecord, type RecordSplitter } from "./raw-record.js";
import { TimeSlice } from "./time-slice.js";
import { asBuffer } from "./unread-body.js";

/** A body of records, each a document: JSON texts in lines, or rows of CSV (RFC 4180) below a row of names. */
export type RecordFormat = "ndjson" | "csv";

/** One document of a body as it was read, or why it is none. */
export type SentDocument =
  | { readonly value: unknown; readonly line?: number }
  | { readonly problem: string; readonly line?: number };

/** Bytes cut into records at a time. */
const CHUNK_BYTES = 1 << 16;
/** Bytes of CSV that are read anew behind quotes that are never closed. */
const REREAD_BYTES_MAX = 1 << 26;
/** Bytes that a record, and each cell of a row, takes beside its text; with a margin. */
const BYTES_PER_VALUE = 80;

/** Records read between two pauses. */
const RECORDS_PER_STEP = 16;

export interface RecordsOptions {
  readonly documentsMax: number;
  /** Raised to what the documents take. */
  readonly memory: BodyMemory;
}

/** A body of records that nobody has looked into yet. */
export class DocumentRecords {
  readonly format: RecordFormat;
  /** In a buffer of their own, so that they can be handed to another thread; empty from then on. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly #memory: BodyMemory & { readonly limit: number };

  /** @param memory that the body may take; its limit is in bytes, what it holds included */
  constructor(
    format: RecordFormat,
    bytes: Uint8Array<ArrayBuffer>,
    memory: BodyMemory & { readonly limit: number },
  ) {
    this.format = format;
    this.bytes = bytes;
    this.#memory = memory;
  }

  /** What it may take in memory in all, its documents included, as things are now. */
  get memoryMax(): number {
    return this.#memory.limit;
  }

  /**
   * All documents, in the order of the body. Lets the event loop turn while it works on many.
   *
   * @throws FindlingError as `recordsIn`
   */
  async read(documentsMax: number): Promise<readonly SentDocument[]> {
    const documents: SentDocument[] = [];
    const slice = new TimeSlice();
    const options = { documentsMax, memory: this.#memory };
    for (const some of recordsIn(this.format, asBuffer(this.bytes), options)) {
      documents.push(...some);
      if (slice.isOver) await slice.pause();
    }
    return documents;
  }
}

/**
 * All documents, in the order of the body, a few at a time.
 *
 * @throws FindlingError `invalid_request` for more than `documentsMax`, or CSV that can't be read at all;
 *   `rate_limited`
 */
export function* recordsIn(
  format: RecordFormat,
  body: Buffer,
  { documentsMax, memory }: RecordsOptions,
): Generator<readonly SentDocument[], void, undefined> {
  const bytes = withoutByteOrderMark(body);
  const delimiter = delimiterOf(bytes);
  const isCsv = format === "csv";
  const splitter: RecordSplitter = isCsv ? new CsvSplitter(delimiter, REREAD_BYTES_MAX) : new LineSplitter();
  const reader = isCsv ? new CsvRows(delimiter) : null;
  let taken = 2 * bytes.length;
  let count = 0;
  let documents: SentDocument[] = [];
  for (const records of batchesOf(splitter, bytes)) {
    for (const record of records) {
      const document = reader === null ? jsonDocument(record) : reader.document(record);
      if (document !== null) {
        documents.push(document);
        count++;
      }
      taken += BYTES_PER_VALUE * (reader?.width ?? 1);
      if (count > documentsMax) throw tooMany(documentsMax);
      if (documents.length < RECORDS_PER_STEP) continue;
      yield documents;
      documents = [];
    }
    memory.raiseTo(taken);
  }
  if (documents.length > 0) yield documents;
}

function* batchesOf(
  splitter: RecordSplitter,
  bytes: Buffer,
): Generator<readonly RawRecord[], void, undefined> {
  try {
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
      yield splitter.push(bytes.subarray(at, at + CHUNK_BYTES));
    yield splitter.end();
  } catch (error) {
    if (!(error instanceof MalformedInputError)) throw error;
    throw new FindlingError("invalid_request", `the body can't be read: ${error.message}`);
  }
}

function jsonDocument({ bytes, line, problem }: RawRecord): SentDocument {
  if (problem !== undefined) return { problem, line };
  try {
    return { value: parseJsonElement(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)), line };
  } catch (error) {
    if (error instanceof JsonRefusal) return { problem: `is not acceptable JSON: ${error.problem}`, line };
    throw error;
  }
}

/** Rows as documents: cells stay text, which intake reads as the field's type; an empty cell is no value. */
class CsvRows {
  readonly #delimiter: string;
  #names: readonly string[] | null = null;

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
  }

  /** How many cells a row has. */
  get width(): number {
    return this.#names?.length ?? 1;
  }

  /** Null for the row of names, and a line `sep=` before it. @throws FindlingError `invalid_request` if that isn't one */
  document({ bytes, line, problem }: RawRecord): SentDocument | null {
    let cells: readonly string[];
    try {
      if (problem !== undefined) throw new Error(problem);
      if (!isUtf8(bytes)) throw new Error("it is not UTF-8");
      const row = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
      if (this.#names === null && DELIMITER_LINE.test(row)) return null;
      cells = parseCsvRow(row, this.#delimiter);
    } catch (error) {
      const { message } = error as Error;
      if (this.#names === null) throw badNames(message);
      return { problem: `is no row of CSV: ${message}`, line };
    }
    if (this.#names === null) {
      this.#names = cells.map((name) => name.trim());
      const repeated = this.#names.find((name, i) => name !== "" && this.#names!.indexOf(name) !== i);
      if (cells.length > COLUMNS_MAX)
        throw badNames(`it has ${cells.length} columns, at most ${COLUMNS_MAX} are allowed`);
      if (repeated !== undefined) throw badNames(`two columns are named '${repeated.slice(0, 100)}'`);
      return null;
    }
    const names = this.#names;
    if (cells.length !== names.length) {
      return { problem: `has ${cells.length} cells, but the first row has ${names.length}`, line };
    }
    const members: [string, string][] = [];
    for (const [i, cell] of cells.entries()) if (cell !== "") members.push([names[i]!, cell]);
    return { value: Object.fromEntries(members), line };
  }
}

/** More than any index has fields. */
const COLUMNS_MAX = 5_000;

function badNames(problem: string): FindlingError {
  return new FindlingError(
    "invalid_request",
    `the first row of the body, which names the columns, can't be read: ${problem}`,
  );
}

function tooMany(documentsMax: number): FindlingError {
  return new FindlingError(
    "invalid_request",
    `the body holds more than ${documentsMax} documents, the most that are allowed in one request`,
  );
}

function withoutByteOrderMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/** What a line `sep=` names, else what separates the names in the first line, as far as it has no comma; else that. */
function delimiterOf(bytes: Buffer): string {
  const [line] = /^[^\r\n]*/.exec(bytes.toString("latin1", 0, CHUNK_BYTES))!;
  const named = DELIMITER_LINE.exec(line)?.[1];
  if (named !== undefined) return named;
  return [",", ";", "\t", "|"].find((delimiter) => line.includes(delimiter)) ?? ",";
}
