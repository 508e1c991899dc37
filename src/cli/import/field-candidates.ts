import type { FieldDraft } from "../../client/index.js";
import type { FieldDefinition } from "../../contract/index-schema.js";
import { NUMBER_FORMATS } from "../../contract/values/number-format.js";
import { canonicalValue, ValueProblem } from "../../intake/canonical-value.js";

/** A definition that a field may get if all of its values fit. */
export interface FieldCandidate {
  readonly definition: FieldDraft;
  /** Whether the values are numbers or truth values, which a text in JSON only spells. */
  readonly isSpelt: boolean;
  /** Which other candidate reads the same texts as other days: where both fit, nobody knows which is meant. */
  readonly twin?: string;
}

/** What a text can stand for at most: longer ones are text. */
const CHARACTERS_MAX = 64;
/** Texts of which it is remembered what they fit. */
const KNOWN_MAX = 50_000;

const DATETIME = /^\d{4}-\d{2}-\d{2}(?:[Tt]\d{2}:\d{2}:\d{2}(?:\.(\d{1,9}))?(?:[Zz]|[+-]\d{2}:\d{2}))?$/;
/** No leading zeros, which a postal code or an article number would lose. */
const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const FACET_PATH = /^(?:\/[^/]+)+\/?$/;
/** Digits that begin a code and no number, whatever stands between groups of them. */
const CODE = /^[+-]?0\d/;

/** Days, months and years as exports have them, and which of them means the same text as another day. */
const DATES: readonly (readonly [string, string?])[] = [
  ["DD.MM.YYYY"],
  ["D.M.YYYY"],
  ["DD/MM/YYYY", "MM/DD/YYYY"],
  ["MM/DD/YYYY", "DD/MM/YYYY"],
  ["D/M/YYYY", "M/D/YYYY"],
  ["M/D/YYYY", "D/M/YYYY"],
  ["M/D/YY", "D/M/YY"],
  ["D/M/YY", "M/D/YY"],
  ["DD-MM-YYYY", "MM-DD-YYYY"],
  ["MM-DD-YYYY", "DD-MM-YYYY"],
  ["DD-MMM-YYYY"],
  ["DD-MMM-YY"],
  ["D MMM YYYY"],
  ["MMM D, YYYY"],
];
const TIMES: readonly string[] = ["", " HH:mm", " HH:mm:ss", " H:mm", " H:mm:ss", " h:mm A", " h:mm:ss A"];
/** As e-mail, feeds and HTTP write times. */
const MAIL_TIME = "ddd, DD MMM YYYY HH:mm:ss Z";

/** Every candidate, the narrowest first. */
export const CANDIDATES: readonly FieldCandidate[] = [
  ...["bool", "u64", "i64", "f64"].map(spelt),
  { definition: { type: "datetime" }, isSpelt: false },
  { definition: { type: "facet" }, isSpelt: false },
  ...["bool", "u64", "i64", "f64"].map((type) => coerced(type)),
  ...NUMBER_FORMATS.map((format) => coerced("f64", format)),
  { definition: { type: "datetime", coerce: true }, isSpelt: false },
  ...DATES.flatMap(([date, twin]) =>
    TIMES.map((time) => ({
      definition: { type: "datetime", coerce: true, format: `${date}${time}` } as const,
      isSpelt: false,
      ...(twin === undefined ? {} : { twin: `${twin}${time}` }),
    })),
  ),
  { definition: { type: "datetime", coerce: true, format: MAIL_TIME }, isSpelt: false },
];

function spelt(type: string): FieldCandidate {
  return { definition: { type: type as FieldDraft["type"] }, isSpelt: true };
}

function coerced(type: string, format?: string): FieldCandidate {
  const definition = { type: type as FieldDraft["type"], coerce: true, ...(format && { format }) };
  return { definition, isSpelt: true };
}

/** What a value fits: the candidates' places, and whether it says that there is none. */
export interface Fit {
  readonly candidates: readonly number[];
  readonly isNone: boolean;
}

/** Tells which candidates values fit, texts again and again. */
export class CandidateFits {
  readonly #known = new Map<string, Fit>();

  of(value: unknown): Fit {
    if (typeof value !== "string") return fitOf(value);
    let known = this.#known.get(value);
    if (known === undefined) {
      if (this.#known.size >= KNOWN_MAX) this.#known.clear();
      known = fitOf(value);
      this.#known.set(value, known);
    }
    return known;
  }
}

/** Digits of a time's fraction, which its field's precision has to hold. */
export function fractionDigitsOf(text: string): number {
  return /:\d{2}[.,](\d{1,9})/.exec(text)?.[1]?.length ?? 0;
}

const NO_VALUES: ReadonlySet<string> = new Set(["NULL", "null", "\\N", ""]);

function fitOf(value: unknown): Fit {
  const text = typeof value === "string" ? value.trim() : undefined;
  const candidates: number[] = [];
  if (text === undefined || (text.length <= CHARACTERS_MAX && couldBeTyped(text)) || FACET_PATH.test(text)) {
    for (const [place, { definition }] of CANDIDATES.entries())
      if (fits(definition, value)) candidates.push(place);
  }
  return { candidates, isNone: text !== undefined && NO_VALUES.has(text) };
}

/** Whether a look at each candidate is worth it: numbers and times have digits, truth values are short. */
function couldBeTyped(text: string): boolean {
  return text.length <= 5 || /\d/.test(text);
}

function fits(draft: FieldDraft, value: unknown): boolean {
  if ((typeof value === "number" || typeof value === "bigint") && draft.type === "datetime") return false;
  if (typeof value === "bigint" && draft.type === "f64" && BigInt(Number(value)) !== value) return false;
  if (typeof value === "string" && !isUnlikeCode(draft, value.trim())) return false;
  const definition = {
    required: false,
    stored: true,
    indexed: true,
    multi: false,
    // Fine enough for any fraction: what it cuts doesn't matter here.
    ...draft,
  } as FieldDefinition;
  return !(canonicalValue(definition, value) instanceof ValueProblem);
}

/** Whether a text that the server would take as a value of the type is meant as one. */
function isUnlikeCode({ type, coerce }: FieldDraft, text: string): boolean {
  const isNumeric = type === "u64" || type === "i64" || type === "f64";
  if (coerce === true) {
    if (type === "datetime") return !/^-?\d+(?:\.\d+)?$/.test(text);
    if (!isNumeric) return true;
    return !CODE.test(text) && isExact(text) && (type === "f64" || isSafe(text));
  }
  if (type === "datetime") return DATETIME.test(text) && !Number.isNaN(Date.parse(text));
  if (type === "facet") return FACET_PATH.test(text);
  if (type === "f64") return NUMBER.test(text) && isExact(text);
  return !isNumeric || (INTEGER.test(text) && isSafe(text));
}

/** A longer row of digits is a number of something, and not a measure. */
function isExact(text: string): boolean {
  return !/^[+-]?\d+$/.test(text) || isSafe(text);
}

function isSafe(text: string): boolean {
  const number = Number(text);
  return Number.isNaN(number) || Number.isSafeInteger(number);
}
