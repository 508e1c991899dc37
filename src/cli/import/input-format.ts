import { extname } from "node:path";
import { DELIMITER_LINE } from "../../intake/csv-splitter.js";
import { CliError } from "../cli-error.js";
import { guessRecordsPath } from "./records-path.js";

export const INPUT_FORMATS = ["ndjson", "json", "csv"] as const;
export type InputFormat = (typeof INPUT_FORMATS)[number];

export interface FormatChoice {
  readonly format: InputFormat;
  /** JSON only: where in an object the list of documents is; null: nowhere, the top level holds them. */
  readonly records: readonly string[] | null;
  /** CSV only: one ASCII character. */
  readonly delimiter: string;
}

const BY_EXTENSION: ReadonlyMap<string, InputFormat> = new Map([
  [".ndjson", "ndjson"],
  [".jsonl", "ndjson"],
  [".json", "json"],
  [".csv", "csv"],
  [".tsv", "csv"],
]);

/**
 * The format asked for, else the one that the name's extension (before `.gz`) tells, else the one
 * that the first bytes look like. The delimiter of CSV: asked for, tab for `.tsv`, else what the
 * first rows look like.
 */
export function chooseFormat(
  path: string,
  head: Uint8Array,
  asked: {
    readonly format?: InputFormat | undefined;
    readonly delimiter?: string | undefined;
    /** Names of members, with points between them; a point alone: the whole is one document, or a list of them. */
    readonly records?: string | undefined;
  },
): FormatChoice {
  const extension = extname(path.toLowerCase().replace(/\.gz$/, ""));
  const delimiter = asked.delimiter ?? (extension === ".tsv" ? "\t" : guessDelimiter(head));
  const named = asked.format ?? BY_EXTENSION.get(extension);
  const isPretty = asked.format === undefined && named === "ndjson" && beginsAlone(head);
  const format = isPretty ? "json" : (named ?? formatOf(head));
  const isJson = format === "json" || (named === undefined && format === "ndjson");
  const records = recordsIn(head, asked.records, isJson);
  return { format: records === null ? format : "json", delimiter, records };
}

function formatOf(head: Uint8Array): InputFormat {
  const first = firstCharacter(head);
  if (first === "[") return "json";
  if (first === undefined) return "ndjson";
  if (first !== "{") return "csv";
  // An object that goes on in the next line is no line of NDJSON.
  const line = new TextDecoder().decode(head.subarray(0, Math.max(0, head.indexOf(NEWLINE)))).trim();
  return line === "" || line.endsWith("}") ? "ndjson" : "json";
}

/** Whether the first line is a bracket alone: what is named as lines is JSON over several then. */
function beginsAlone(head: Uint8Array): boolean {
  const end = head.indexOf(NEWLINE);
  const line = new TextDecoder().decode(head.subarray(0, Math.max(0, end))).trim();
  return line === "{" || line === "[";
}

const NEWLINE = 10;

function recordsIn(head: Uint8Array, asked: string | undefined, isJson: boolean): readonly string[] | null {
  if (asked === WHOLE) return null;
  if (asked !== undefined) return asked.split(".");
  return isJson ? guessRecordsPath(head) : null;
}

/** For `--records`: no list within an object is looked for. */
const WHOLE = ".";

const DELIMITERS = [",", ";", "\t", "|"] as const;
const ROWS_LOOKED_AT = 20;

/**
 * What stands between the cells of CSV: what a line `sep=` says, else the one that most of the first rows have as often
 * as the header row does, outside quotes, and of several the most frequent. A comma if there is none.
 */
export function guessDelimiter(head: Uint8Array): string {
  const text = new TextDecoder().decode(head);
  const named = DELIMITER_LINE.exec(/^[^\r\n]*/.exec(text)![0])?.[1];
  if (named !== undefined) return named;
  const rows = text
    .replace(/"(?:[^"]|"")*"/g, "")
    .split(/[\r\n]+/)
    .filter((row) => row !== "");
  // The last row may have been cut.
  const whole = rows.length > 1 ? rows.slice(0, -1).slice(0, ROWS_LOOKED_AT) : rows;
  let best: { readonly delimiter: string; readonly score: number } = { delimiter: ",", score: 0 };
  for (const delimiter of DELIMITERS) {
    const counts = whole.map((row) => row.split(delimiter).length - 1);
    const alike = counts.filter((count) => count === counts[0]).length;
    const score = counts[0]! * (alike / counts.length) ** 2;
    if (score > best.score) best = { delimiter, score };
  }
  return best.delimiter;
}

/** @throws CliError unless the text is one ASCII character, or `\t` or `tab` */
export function parseDelimiter(text: string): string {
  if (text === "\\t" || text === "tab") return "\t";
  if (/^[\x20-\x7e\t]$/.test(text) && text !== '"') return text;
  throw new CliError(
    "usage",
    "--delimiter must be one ASCII character other than a quote, such as ';' or tab",
  );
}

function firstCharacter(head: Uint8Array): string | undefined {
  const byte = head.find((each) => each !== 32 && each !== 9 && each !== 10 && each !== 13);
  return byte === undefined ? undefined : String.fromCharCode(byte);
}
