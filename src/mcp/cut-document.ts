import { writeJson } from "../json/exact-json.js";

/** A document as it is shown to a model, and the full length of what was cut, by field. */
export interface CutDocument {
  readonly document: Readonly<Record<string, unknown>>;
  /** Characters of the whole value: of a text, else of its JSON. Absent: nothing was cut. */
  readonly cut?: Readonly<Record<string, number>>;
}

const ELLIPSIS = "…";

/**
 * Shortens every value that is longer than `lengthMax` characters: texts to their beginning, lists to their first
 * elements; what can't be shortened is left out, and named.
 *
 * @param lengthMax UTF-16 units, at least 1
 */
export function cutDocument(document: Readonly<Record<string, unknown>>, lengthMax: number): CutDocument {
  const shown: [string, unknown][] = [];
  const cut: [string, number][] = [];
  for (const [name, value] of Object.entries(document)) {
    const length = typeof value === "string" ? value.length : writeJson(value).length;
    if (length <= lengthMax) {
      shown.push([name, value]);
      continue;
    }
    cut.push([name, length]);
    if (typeof value === "string") shown.push([name, cutText(value, lengthMax)]);
    else if (Array.isArray(value)) shown.push([name, cutList(value, lengthMax)]);
  }
  const result = { document: Object.fromEntries(shown) };
  return cut.length === 0 ? result : { ...result, cut: Object.fromEntries(cut) };
}

/** The text's beginning; a surrogate pair isn't parted. */
export function cutText(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  const isPair = /[\uD800-\uDBFF]/.test(text.charAt(lengthMax - 1));
  return text.slice(0, isPair ? lengthMax - 1 : lengthMax) + ELLIPSIS;
}

function cutList(list: readonly unknown[], lengthMax: number): unknown[] {
  const shown: unknown[] = [];
  let length = 2;
  for (const element of list) {
    length += writeJson(element).length + 1;
    if (length > lengthMax) break;
    shown.push(element);
  }
  return shown;
}
