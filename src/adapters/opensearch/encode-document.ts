import { isStemTerm } from "../../analysis/stem-terms.js";
import type { CanonicalDocument, CanonicalValue } from "../../contract/canonical-value.js";
import {
  type Analyzer,
  createAnalyzer,
  type EngineField,
  type EngineSchema,
} from "../../engine/server-door.js";
import { writeJson } from "../../json/exact-json.js";
import {
  ALIVE,
  COUNTED_LENGTH_MAX,
  clusterName,
  EMPTY_POSITION,
  type FieldPart,
  ORDERED_UNITS_MAX,
  TOKEN_SEPARATOR,
  TOKEN_STACK,
} from "./index-mapping.js";
import { comparedText, isFoundWhole, wholeValue } from "./whole-value.js";
import type { WriteTurn } from "./write-turns.js";

/** Where a document stands among the generations, and among the others. */
export interface DocumentLife {
  readonly member: string;
  readonly born: number;
  readonly died: number;
  readonly seq: number;
  /** The document's id where it is not the cluster's: a later state of one that there was. */
  readonly of?: string;
  /** Which operation writes it; absent where it is never undone by itself. */
  readonly operation?: string;
}

export interface EncodedDocument {
  /** What the cluster stores, as JSON. */
  readonly source: string;
  /** By field its distinct words, as they are written. */
  readonly words: ReadonlyMap<string, ReadonlySet<string>>;
}

/** With the cluster's id. */
export interface IdentifiedDocument extends EncodedDocument {
  readonly id: string;
}

const FACET_LEVELS_MAX = 64;
const FACET_UNITS_MAX = 4_096;

/** A field with its name in the cluster. */
interface NamedField {
  readonly field: EngineField;
  readonly name: string;
}

/** Makes documents into what the cluster stores of them. */
export class DocumentEncoder {
  readonly #fields: readonly NamedField[];
  readonly #analyzer: Analyzer;

  constructor(schema: EngineSchema) {
    this.#fields = schema.fields
      .filter(({ kind }) => kind !== "opaque")
      .map((field) => ({ field, name: clusterName(field.name) }));
    this.#analyzer = createAnalyzer(schema.analyzer);
  }

  encode(document: CanonicalDocument, life: DocumentLife): EncodedDocument {
    const parts: Record<FieldPart, Record<string, unknown>> = { t: {}, v: {}, o: {}, f: {}, d: {}, l: {} };
    const words = new Map<string, ReadonlySet<string>>();
    const has: string[] = [];
    for (const { field, name } of this.#fields) {
      const values = valuesOf(document[field.name]);
      if (values.length === 0) continue;
      const { kind } = field;
      let isThere = true;
      if ((kind === "text" && field.indexed) || kind === "label") {
        const found = new Set<string>();
        const texts = values.map((value) => this.#tokenText(String(value), found));
        parts.t[name] = texts.flatMap(({ text }) => (text === "" ? [] : [text]));
        const length = texts.reduce((sum, { wordCount }) => sum + wordCount, 0);
        if (length <= COUNTED_LENGTH_MAX) parts.l[name] = length;
        words.set(field.name, found);
        if (kind === "text") isThere = found.size > 0;
      }
      if ((kind === "text" || kind === "keyword" || kind === "label") && !field.multi)
        parts.o[name] = comparedText(field, values[0]!).toLowerCase().slice(0, ORDERED_UNITS_MAX);
      if (kind === "facet")
        parts.f[name] = [...new Set(values.flatMap((path) => ancestorsOf(comparedText(field, path))))];
      if (kind === "label") parts.f[name] = [...new Set(values.map((value) => comparedText(field, value)))];
      if (isFoundWhole(field)) parts.v[name] = values.map((value) => wholeValue(field, value));
      if (kind === "datetime") parts.d[name] = values.map((value) => Date.parse(String(value)) / 1000);
      if (isThere) has.push(field.name);
    }
    const source = JSON.stringify({ doc: writeJson(document), ...life, has, ...parts });
    return { source, words };
  }

  /** A text's tokens as the cluster reads them, at their positions, and how many are words. */
  #tokenText(text: string, words: Set<string>): { readonly text: string; readonly wordCount: number } {
    const places: (string | undefined)[] = [];
    let wordCount = 0;
    const count = this.#analyzer.analyzeStored(text, {
      token(term, position) {
        if (!isStemTerm(term)) {
          words.add(term);
          wordCount++;
        }
        const before = places[position];
        places[position] = before === undefined ? term : before + TOKEN_STACK + term;
      },
    });
    return { text: places.length === 0 ? "" : placedText(places, count), wordCount };
  }
}

/** Tokens by position as one text. @param count positions that the text takes in all */
export function placedText(places: readonly (string | undefined)[], count: number): string {
  const parts: string[] = [];
  for (let position = 0; position < Math.max(count, places.length); position++) {
    parts.push(places[position] ?? EMPTY_POSITION);
  }
  return parts.join(TOKEN_SEPARATOR);
}

/** A field's values as a list. */
export function valuesOf(value: CanonicalValue | undefined): readonly CanonicalValue[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? (value as readonly CanonicalValue[]) : [value];
}

/** A path and what is above it, as far down as facets are counted. */
function ancestorsOf(path: string): readonly string[] {
  const found: string[] = [];
  for (let end = path.indexOf("/", 1); ; end = path.indexOf("/", end + 1)) {
    const length = end < 0 ? path.length : end;
    if (length > FACET_UNITS_MAX) break;
    found.push(path.slice(0, length));
    if (end < 0 || found.length === FACET_LEVELS_MAX) break;
  }
  return found;
}

/** The life of a document that is added. */
export function newLife(member: string, born: number, seq: number): DocumentLife {
  return { member, born, died: ALIVE, seq };
}

/** The life of a document that is added in a turn. */
export function lifeIn({ pending, operation }: WriteTurn, member: string, seq: number): DocumentLife {
  return { ...newLife(member, pending, seq), operation };
}
