/** A file as one program or another writes it, and what an import has to make of it. */
export interface PackFile {
  /** With the extension that tells the format, as far as one does. */
  readonly name: string;
  /** Which program or service writes files so, and how. */
  readonly source: string;
  readonly content: string | Uint8Array | ((path: string) => Promise<void>);
  /** Documents as hits show them, in order. */
  readonly documents?: readonly object[];
  /** Types that the guess must find, flat facets as `flat`, several values with `[]`. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Records that are bad: an import stops at the first, `--skip-bad` leaves out these and no others. */
  readonly bad?: readonly { readonly line: number; readonly reason: string }[];
  /** The file as a whole is refused, with this reason. */
  readonly refused?: string;
  /** Options besides `--yes`. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Parts of what is said of the guess. */
  readonly says?: readonly string[];
}

/** Text in an encoding that Node's buffers write. */
export function encoded(text: string, encoding: "utf16le" | "latin1"): Buffer {
  return Buffer.from(text, encoding);
}

export const BOM = "\ufeff";

export function lines(...rows: readonly string[]): string {
  return `${rows.join("\n")}\n`;
}

export function windowsLines(...rows: readonly string[]): string {
  return rows.map((row) => `${row}\r\n`).join("");
}

/** The JSON of each, a line each. */
export function ndjson(...documents: readonly unknown[]): string {
  return lines(...documents.map((document) => JSON.stringify(document)));
}
