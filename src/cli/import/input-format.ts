import { extname } from "node:path";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-codes.js";

export const INPUT_FORMATS = ["ndjson", "json", "csv"] as const;
export type InputFormat = (typeof INPUT_FORMATS)[number];

export interface FormatChoice {
  readonly format: InputFormat;
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
 * that the first bytes look like. The delimiter of CSV: asked for, tab for `.tsv`, else comma.
 */
export function chooseFormat(
  path: string,
  head: Uint8Array,
  asked: { readonly format?: InputFormat | undefined; readonly delimiter?: string | undefined },
): FormatChoice {
  const extension = extname(path.toLowerCase().replace(/\.gz$/, ""));
  const delimiter = asked.delimiter ?? (extension === ".tsv" ? "\t" : ",");
  const named = asked.format ?? BY_EXTENSION.get(extension);
  if (named !== undefined) return { format: named, delimiter };
  const first = firstCharacter(head);
  if (first === "[") return { format: "json", delimiter };
  return { format: first === "{" || first === undefined ? "ndjson" : "csv", delimiter };
}

/** @throws CliError unless the text is one ASCII character, or `\t` or `tab` */
export function parseDelimiter(text: string): string {
  if (text === "\\t" || text === "tab") return "\t";
  if (/^[\x20-\x7e\t]$/.test(text) && text !== '"') return text;
  throw new CliError(
    EXIT.usage,
    "usage",
    "--delimiter must be one ASCII character other than a quote, such as ';' or tab",
  );
}

function firstCharacter(head: Uint8Array): string | undefined {
  const byte = head.find((each) => each !== 32 && each !== 9 && each !== 10 && each !== 13);
  return byte === undefined ? undefined : String.fromCharCode(byte);
}
