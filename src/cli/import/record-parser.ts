import { JsonRefusal, parseJsonElement } from "../../intake/parse-json-body.js";
import { parseCsvRow } from "./csv-splitter.js";
import { DELIMITER_LINE } from "./input-format.js";
import type { RawRecord } from "./raw-record.js";

export type JsonObject = Readonly<Record<string, unknown>>;

/** A record read as a document, or the reason why it can't be. */
export type ParsedRecord =
  | { readonly json: string; readonly document: JsonObject; readonly problem?: undefined }
  | { readonly problem: string };

/** Reads records of one file, in order. */
export interface RecordParser {
  /** Undefined where the record is not a document, as a CSV file's header row. */
  parse(record: RawRecord): ParsedRecord | undefined;
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** Records that are JSON texts, read as the server reads them; the text goes to it as the file has it. */
export class JsonRecordParser implements RecordParser {
  parse(record: RawRecord): ParsedRecord {
    const json = decode(record.bytes);
    if (json === undefined) return NOT_UTF8;
    let value: unknown;
    try {
      value = parseJsonElement(asBuffer(record.bytes));
    } catch (failure) {
      if (!(failure instanceof JsonRefusal)) throw failure;
      return { problem: `not valid JSON: ${failure.problem}` };
    }
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return { problem: "a document must be a JSON object" };
    }
    return { json, document: value as JsonObject };
  }
}

/**
 * Rows of CSV; the first one names the columns. Cells stay text, which the server reads as the
 * field's type; an empty cell is an absent value. Columns of one name are numbered.
 */
export class CsvRecordParser implements RecordParser {
  readonly #delimiter: string;
  readonly #onRename: (column: string, field: string) => void;
  #fields: readonly string[] | undefined;

  constructor(delimiter: string, onRename: (column: string, field: string) => void) {
    this.#delimiter = delimiter;
    this.#onRename = onRename;
  }

  parse(record: RawRecord): ParsedRecord | undefined {
    const row = decode(record.bytes);
    if (row === undefined) return NOT_UTF8;
    if (this.#fields === undefined && DELIMITER_LINE.test(row)) return undefined;
    let cells: readonly string[];
    try {
      cells = parseCsvRow(row, this.#delimiter);
    } catch (failure) {
      return { problem: (failure as Error).message };
    }
    if (this.#fields === undefined) return this.#readHeader(cells);
    if (cells.length !== this.#fields.length) {
      return { problem: `${cells.length} cells, but the header has ${this.#fields.length}` };
    }
    const document: Record<string, string> = {};
    for (let column = 0; column < cells.length; column++) {
      const cell = cells[column]!;
      if (cell !== "") document[this.#fields[column]!] = cell;
    }
    return { json: JSON.stringify(document), document };
  }

  #readHeader(cells: readonly string[]): undefined {
    const fields: string[] = [];
    for (const [position, column] of cells.entries()) {
      const name = fieldName(column, position);
      let field = name;
      for (let number = 2; fields.includes(field); number++) field = `${name.slice(0, 120)}_${number}`;
      if (field !== column) this.#onRename(column, field);
      fields.push(field);
    }
    this.#fields = fields;
    return undefined;
  }
}

/** A column's name as a field may be named (contract 4.1): other characters become underscores. */
function fieldName(column: string, position: number): string {
  const name = column
    .trim()
    .replace(/[^A-Za-z0-9_-]/g, "_")
    .slice(0, 127);
  if (name === "") return `column_${position + 1}`;
  if (name === "_id") return "id_";
  if (name === "__proto__") return "proto";
  return /^[A-Za-z_]/.test(name) ? name : `_${name}`;
}

const NOT_UTF8: ParsedRecord = { problem: "not valid UTF-8" };

function decode(bytes: Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
