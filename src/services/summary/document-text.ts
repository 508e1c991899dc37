import { textOfJson } from "../../contract/document-json.js";
import type { IndexSchema } from "../../contract/index-schema.js";
import { jsonMembers } from "../../contract/json-members.js";
import { readJson, writeJson } from "../../json/exact-json.js";
import { GraphemeLimit } from "./grapheme-limit.js";

/** Characters in which text can hide that a model reads and a person doesn't see; lone halves of pairs. */
const UNSEEN = /[\u{E0000}-\u{E007F}\p{Cs}]|(?![\n\t])\p{Cc}/gu;

/** Code points of all documents of a prompt together, whatever an index asks for. */
const ALL_LENGTH_MAX = 400_000;

/** Which fields there are, in order. */
type StoredFields = Pick<IndexSchema, "fields">;

/** The documents of a prompt. */
export interface PromptDocuments {
  /** How many of the hits, from the first on, are shown. */
  readonly count: number;
  /** As the prompt shows them; to be called once. */
  readonly texts: () => readonly string[];
}

/**
 * The documents of a prompt; the last ones are left out where there would be too much. Their texts are made when
 * they are asked for, unless their number can't be told without: it is told long before a model wants them.
 */
export function promptDocuments(
  hits: readonly { readonly docJson: Uint8Array }[],
  schema: StoredFields,
  lengthMax: number,
): PromptDocuments {
  const texts = (): readonly string[] => documentTexts(hits, schema, lengthMax);
  // Twice, as a code point has two UTF-16 units at most.
  if (hits.length * lengthMax * 2 <= ALL_LENGTH_MAX) return { count: hits.length, texts };
  const made = texts();
  return { count: made.length, texts: () => made };
}

function documentTexts(
  hits: readonly { readonly docJson: Uint8Array }[],
  schema: StoredFields,
  lengthMax: number,
): readonly string[] {
  const texts: string[] = [];
  let left = ALL_LENGTH_MAX;
  for (const { docJson } of hits) {
    if (left <= 0) break;
    const text = documentText(textOfJson(docJson), schema, Math.min(lengthMax, left));
    // UTF-16 units are no fewer than code points.
    left -= text.length;
    texts.push(text);
  }
  return texts;
}

/**
 * A document as the prompt shows it: a line for each stored field, in the order of the schema, cut to so
 * many code points.
 */
export function documentText(docJson: string, schema: StoredFields, lengthMax: number): string {
  const limit = new GraphemeLimit(lengthMax);
  const members = jsonMembers(docJson);
  let text = "";
  let separator = "";
  for (const name of Object.keys(schema.fields)) {
    const json = members.get(name);
    if (json === undefined || limit.isFull) continue;
    text += limit.push(`${separator}${name}: `);
    for (const piece of valueTexts(json)) {
      if (limit.isFull) break;
      text += limit.push(piece.replace(UNSEEN, ""));
    }
    separator = "\n";
  }
  return text + limit.end();
}

/** Strings as they are, lists with commas, everything else as its JSON. */
function valueTexts(json: string): readonly string[] {
  if (json.startsWith('"')) return [JSON.parse(json) as string];
  if (!json.startsWith("[")) return [json];
  const values = readJson(json) as readonly unknown[];
  return values.flatMap((value, i) => {
    const text = typeof value === "string" ? value : writeJson(value);
    return i === 0 ? [text] : [", ", text];
  });
}
