import { open } from "node:fs/promises";
import { MalformedInputError, type RawRecord } from "../../intake/raw-record.js";
import { fieldsOfColumns } from "./column-names.js";
import { type ExcelSheet, excelSheets } from "./excel-sheets.js";
import { unpackedSize } from "./zip-parts.js";

/** What the parts of a file may take when unpacked: it is read whole. */
export const UNPACKED_MAX: number = 1024 * 1024 * 1024;

export interface ExcelListener {
  readonly onRename: (column: string, field: string) => void;
  /** Which of several sheets is read, where none is asked for. */
  readonly onChoice: (name: string, sheets: readonly ExcelSheet[]) => void;
}

/**
 * The rows of a sheet as JSON objects, by the numbers that the sheet gives them. The first row that isn't empty names
 * the fields; numbers, truth values and dates keep what they are, dates being ISO 8601, and empty cells are no values.
 *
 * @param sheet its name or its number from 1; undefined: the first that Excel shows
 * @throws MalformedInputError if the file can't be read, has no such sheet, or is too large
 */
export async function* excelRows(
  path: string,
  sheet: string | undefined,
  { onRename, onChoice }: ExcelListener,
): AsyncGenerator<readonly RawRecord[]> {
  let sheets: readonly ExcelSheet[];
  const file = await open(path);
  try {
    const size = await unpackedSize(file, UNPACKED_MAX);
    if (size === null)
      throw new MalformedInputError("it can't be read as an Excel file: it is damaged or cut short");
    if (size > UNPACKED_MAX)
      throw new MalformedInputError("it takes more than 1 GiB when unpacked; save the sheet as CSV");
    sheets = await excelSheets(file);
  } finally {
    await file.close();
  }
  const shown = Math.max(
    0,
    sheets.findIndex(({ isVisible }) => isVisible),
  );
  if (sheet === undefined && sheets.length > 1) onChoice(sheets[shown]!.name, sheets);
  const rows = await sheetOf(path, sheet ?? String(shown + 1));
  const headerRow = rows.findIndex((cells) => cells.some((cell) => cell !== null));
  if (headerRow < 0) return;
  const columns = rows[headerRow]!.map((cell) => (cell === null ? "" : String(cell)));
  const fields = fieldsOfColumns(columns, onRename);
  const records: RawRecord[] = [];
  for (let row = headerRow + 1; row < rows.length; row++) {
    const entries = rows[row]!.flatMap((cell, i) =>
      cell === null || cell === "" ? [] : [[fields[i]!, jsonValue(cell)]],
    );
    if (entries.length === 0) continue;
    records.push({ line: row + 1, bytes: Buffer.from(JSON.stringify(Object.fromEntries(entries))) });
  }
  yield records;
}

type Cell = string | number | boolean | Date | null;

async function sheetOf(path: string, sheet: string): Promise<readonly (readonly Cell[])[]> {
  const { readSheet } = await import("read-excel-file/node");
  const wanted = /^\d+$/.test(sheet) ? Number(sheet) : sheet;
  try {
    return (await readSheet(path, wanted)) as readonly (readonly Cell[])[];
  } catch (failure) {
    if (!(failure instanceof Error)) throw failure;
    throw new MalformedInputError(`it can't be read as an Excel file: ${failure.message.split("\n")[0]}`);
  }
}

/** A date without a time of day is one without a time. */
function jsonValue(cell: Exclude<Cell, null>): string | number | boolean {
  if (!(cell instanceof Date)) return cell;
  if (Number.isNaN(cell.getTime())) return String(cell);
  const text = cell.toISOString();
  return text.endsWith("T00:00:00.000Z") ? text.slice(0, 10) : text.replace(".000Z", "Z");
}
