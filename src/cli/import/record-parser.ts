import { DELIMITER_LINE, parseCsvRow } from "../../intake/csv-splitter.js";
import { JsonRefusal, parseJsonElement } from "../../intake/parse-json-body.js";
import { MalformedInputError, type RawRecord } from "../../intake/raw-record.js";
import { writeJson } from "../../json/exact-json.js";
import { fieldsOfColumns } from "./column-names.js";
import { type DocumentShape, shapeOf } from "./document-shape.js";
import type { JsonObject } from "./json-object.js";

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

/**
 * Records that are JSON texts, read as the server reads them; the text goes to it as the file has it, unless the first
 * record shows that documents are put into records in a way of some export's own.
 */
export class JsonRecordParser implements RecordParser {
  readonly #onShape: ((shape: string) => void) | undefined;
  /** Undefined until the first record has been read. */
  #shape: DocumentShape | null | undefined;

  /** @param onShape told of another shape than documents as they are; undefined: they are taken as they are */
  constructor(onShape?: (shape: string) => void) {
    this.#onShape = onShape;
    if (onShape === undefined) this.#shape = null;
  }

  parse(record: RawRecord): ParsedRecord | undefined {
    const parsed = parseObject(record.bytes);
    if (parsed.problem !== undefined) {
      this.#shape?.bad?.();
      return parsed;
    }
    if (this.#shape === undefined) {
      this.#shape = shapeOf(parsed.document);
      if (this.#shape !== null) this.#onShape?.(this.#shape.name);
    }
    if (this.#shape === null) return parsed;
    const shaped = this.#shape.document(parsed.document);
    if ("nothing" in shaped) return undefined;
    if ("problem" in shaped) return shaped;
    return { json: writeJson(shaped.document), document: shaped.document };
  }
}

function parseObject(bytes: Uint8Array): ParsedRecord {
  const json = decode(bytes);
  if (json === undefined) return NOT_UTF8;
  let value: unknown;
  try {
    value = parseJsonElement(asBuffer(bytes));
  } catch (failure) {
    if (!(failure instanceof JsonRefusal)) throw failure;
    return { problem: `not valid JSON: ${failure.problem}` };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { problem: "a document must be a JSON object" };
  }
  return { json, document: value as JsonObject };
}

/**
 * Rows of CSV; the first one names the columns. Cells stay text, which the server reads as the
 * field's type; an empty cell is an absent value. Columns of one name are numbered.
 */
export class CsvRecordParser implements RecordParser {
  readonly #delimiter: string;
  readonly #onRename: (column: string, field: string) => void;
  #fields: readonly string[] | undefined;
  #hasRow = false;

  constructor(delimiter: string, onRename: (column: string, field: string) => void) {
    this.#delimiter = delimiter;
    this.#onRename = onRename;
  }

  parse(record: RawRecord): ParsedRecord | undefined {
    const row = decode(record.bytes);
    if (row === undefined) return NOT_UTF8;
    if (this.#fields === undefined && DELIMITER_LINE.test(row)) return undefined;
    if (!this.#hasRow) {
      if (DRAWN_LINE.test(row))
        throw new MalformedInputError("it is a table drawn for people; export it as CSV or JSON");
      this.#hasRow = this.#fields !== undefined;
    }
    let cells: readonly string[];
    try {
      cells = parseCsvRow(row, this.#delimiter);
    } catch (failure) {
      return { problem: (failure as Error).message };
    }
    if (this.#fields === undefined) {
      this.#fields = fieldsOfColumns(cells, this.#onRename);
      return undefined;
    }
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
}

/** What programs draw above or below the names of columns. */
const DRAWN_LINE = /^\s*[+|┌┏╔╭├-][-=+|─━═┬┳╦┼]{2,}[+|┐┓╗╮┤-]\s*$/;

const NOT_UTF8: ParsedRecord = {
  problem: "not valid UTF-8; if the file has another encoding, name it by --encoding, such as windows-1252",
};

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
