import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

/** A misspelling and what was meant, both lower case a to z. */
export interface Misspelling {
  readonly wrong: string;
  readonly right: string;
  /** Edits between them, a swap of neighbours being one (optimal string alignment). */
  readonly osa: number;
}

const FILE = "tests/relevance/misspellings/misspellings.jsonl.gz";

/** The bundled list of common English misspellings; its source and licence are beside it. */
export function loadMisspellings(): { readonly file: string; readonly pairs: readonly Misspelling[] } {
  const path = fileURLToPath(new URL(`../../${FILE}`, import.meta.url));
  const lines = gunzipSync(readFileSync(path)).toString().trimEnd().split("\n");
  return { file: FILE, pairs: lines.map((line) => JSON.parse(line) as Misspelling) };
}
