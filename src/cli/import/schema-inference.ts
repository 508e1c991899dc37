import type { DatetimePrecision, FieldDraft, FieldType, NamedIndexDraft } from "../../client/index.js";
import type { FieldDefinition } from "../../contract/index-schema.js";
import { listedValues } from "../../intake/coerced-value.js";
import { writeJson } from "../../json/exact-json.js";
import { CANDIDATES, CandidateFits, fractionDigitsOf } from "./field-candidates.js";
import type { JsonObject } from "./json-object.js";
import { MeasuredTexts } from "./measured-text.js";
import { isUsableName, ObservedObjects } from "./observed-objects.js";
import { TextShape } from "./text-shape.js";

/** How many documents are looked at before an index is made for them. */
export const INFERENCE_DOCUMENTS = 5_000;

export interface InferredField {
  readonly name: string;
  readonly definition: FieldDraft;
  /** Documents among those seen that have a value. */
  readonly documents: number;
  /** The first value seen, shortened. */
  readonly example: string;
  /** Set where the field is text only because of a few values that don't fit the others. */
  readonly misfits?: Misfits;
  /** Formats of dates that all values fit, where nobody knows which is meant. */
  readonly ambiguous?: readonly [string, string];
  /** A value, where the field is text because its numbers have units. */
  readonly measured?: string;
}

export interface Misfits {
  /** What the field would be without them. */
  readonly type: FieldType;
  readonly values: number;
  /** Values seen, misfits included. */
  readonly allValues: number;
  readonly example: string;
}

/** Misfits are remarked on up to this share of the values; beyond it the field is simply mixed. */
const MISFIT_SHARE_MAX = 0.1;

export interface InferredSchema {
  readonly index: NamedIndexDraft;
  readonly fields: readonly InferredField[];
  /** Members whose names no field may have; the server drops them. */
  readonly unusableNames: readonly string[];
}

export interface InferenceSettings {
  /** Whether the documents come from CSV, whose values are all text: they count as what they spell. */
  readonly areValuesText: boolean;
  /** The field whose values are needed as they are. */
  readonly primaryKey?: string | undefined;
}

/** Names of fields that hold identifiers, whatever their values look like. */
const ID = "id";

/**
 * Guesses an index schema from documents: for every member the narrowest field type that holds all of its values, with
 * `coerce` and a format where they are written as databases and spreadsheets do. A member called `id` is always text,
 * texts that repeat become flat facets and stay search fields, arrays make a field `multi`, members of objects become
 * fields of their own; what is an object here and a value there is kept as `json`.
 */
export class SchemaInference {
  readonly #settings: InferenceSettings;
  readonly #fits = new CandidateFits();
  readonly #observations = new Map<string, Observation>();
  readonly #objects = new ObservedObjects();
  readonly #unusable = new Set<string>();

  constructor(settings: InferenceSettings) {
    this.#settings = settings;
  }

  add(document: JsonObject): void {
    for (const [name, value] of Object.entries(document)) {
      if (name === "_id" || value === null) continue;
      if (!isUsableName(name)) {
        this.#unusable.add(name);
        continue;
      }
      this.#see(name, value);
    }
  }

  #see(name: string, value: unknown): void {
    if (value === null || (Array.isArray(value) && value.every((item) => item === null))) return;
    let observation = this.#observations.get(name);
    if (observation === undefined) {
      observation = new Observation(this.#settings, this.#fits);
      this.#observations.set(name, observation);
    }
    observation.add(value);
    for (const [member, each] of this.#objects.membersOf(name, value)) this.#see(member, each);
  }

  result(indexName: string): InferredSchema {
    const fields: InferredField[] = [];
    const hasDecimalComma = [...this.#observations.values()].some((each) => each.hasDecimalComma);
    for (const name of this.#objects.fieldsAmong([...this.#observations.keys()])) {
      const observation = this.#observations.get(name)!;
      const isKey = name === ID || name === this.#settings.primaryKey;
      fields.push({
        name,
        ...(isKey
          ? observation.asKey(name === ID)
          : observation.result(hasDecimalComma, this.#objects.isInList(name))),
      });
    }
    const definitions = Object.fromEntries(fields.map((field) => [field.name, field.definition]));
    const searchFields = searchFieldsOf(fields);
    return {
      index: {
        name: indexName,
        fields: definitions,
        ...(searchFields === undefined ? {} : { search_fields: searchFields }),
      },
      fields,
      unusableNames: [...this.#unusable],
    };
  }
}

/** Flat facets are searched too, which the server's default leaves out; undefined where that is all that there is to say. */
function searchFieldsOf(fields: readonly InferredField[]): readonly string[] | undefined {
  const isFlat = ({ definition }: InferredField): boolean => definition.hierarchical === false;
  if (!fields.some(isFlat)) return undefined;
  return fields
    .filter((field) => isFlat(field) || (field.definition.type === "text" && field.name !== ID))
    .map(({ name }) => name);
}

type Result = Omit<InferredField, "name">;

/** What was seen of one member. */
class Observation {
  readonly #settings: InferenceSettings;
  readonly #fits: CandidateFits;
  /** By candidate: values that fit, and the first that doesn't. */
  readonly #counts: number[] = CANDIDATES.map(() => 0);
  readonly #firstMisfits: (string | undefined)[] = CANDIDATES.map(() => undefined);
  readonly #shape = new TextShape();
  readonly #measuredTexts = new MeasuredTexts();
  #documents = 0;
  #values = 0;
  /** Values that say that there is none. */
  #none = 0;
  #strings = 0;
  #isObject = false;
  #hasBoolean = false;
  #hasArray = false;
  /** Texts that are arrays, as databases write them. */
  #writtenArrays = 0;
  #hasUnwrittenText = false;
  #hasNullSign = false;
  readonly #truthWords = new Set<string>();
  /** Whether all are numbers of which one can only have its comma before a fraction. */
  #hasCommaFraction = false;
  #fractionDigits = 0;
  #example: string | undefined;

  constructor(settings: InferenceSettings, fits: CandidateFits) {
    this.#settings = settings;
    this.#fits = fits;
  }

  add(value: unknown): void {
    this.#documents++;
    this.#example ??= shorten(asText(value));
    if (Array.isArray(value)) this.#hasArray = true;
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (item === null) continue;
      if (typeof item === "object") {
        this.#isObject = true;
        return;
      }
      const written = typeof item === "string" && !Array.isArray(value) ? writtenArray(item) : null;
      if (written === null) {
        this.#observe(item);
        if (typeof item === "string" && item !== "") this.#hasUnwrittenText = true;
      } else {
        this.#writtenArrays++;
        for (const element of written) if (element !== null) this.#observe(element);
      }
    }
  }

  get hasDecimalComma(): boolean {
    return this.#hasCommaFraction && this.#counts[DECIMAL_COMMA] === this.#values;
  }

  /** A key has single values, whose type matters less than that none is changed. */
  asKey(isId: boolean): Result {
    const guessed = this.result(false);
    const isWhole = guessed.definition.type === "u64" || guessed.definition.type === "i64";
    const definition: FieldDraft = isWhole && !isId ? guessed.definition : { type: "text" };
    const multi = this.#hasArray && isId ? { multi: true } : {};
    return {
      documents: this.#documents,
      example: this.#example ?? "",
      definition: { ...definition, ...multi },
    };
  }

  /**
   * @param hasDecimalComma whether a comma of the file is known to stand before fractions
   * @param isInList whether it stood in the objects of a list
   */
  result(hasDecimalComma: boolean, isInList = false): Result {
    const seen = { documents: this.#documents, example: this.#example ?? "" };
    if (this.#isObject)
      return { ...seen, definition: { type: "json", ...(isInList ? { multi: true } : {}) } };
    const isWritten = this.#writtenArrays > 0 && !this.#hasUnwrittenText;
    const list = this.#hasArray || isWritten ? { multi: true } : {};
    const coerce = isWritten || this.#hasNullSign ? { coerce: true } : {};
    const chosen = this.#chosen(hasDecimalComma);
    if (typeof chosen === "object") {
      const precision = chosen.type === "datetime" ? precisionOf(this.#fractionDigits) : {};
      return { ...seen, definition: { ...chosen, ...list, ...precision, ...coerce } };
    }
    const definition = this.#shape.definition(this.#hasArray || isWritten);
    const misfits = this.#misfits();
    const ambiguous = chosen === undefined ? undefined : this.#ambiguous();
    const measured = (misfits ?? ambiguous) ? undefined : this.#measuredTexts.example;
    return {
      ...seen,
      definition: { ...definition, ...list, ...coerce },
      ...(misfits !== undefined && { misfits }),
      ...(ambiguous !== undefined && { ambiguous }),
      ...(measured !== undefined && { measured }),
    };
  }

  #observe(value: unknown): void {
    const { candidates, isNone } = this.#fits.of(value);
    let next = 0;
    for (let place = 0; place < CANDIDATES.length; place++) {
      if (candidates[next] === place) {
        this.#counts[place]!++;
        next++;
      } else this.#firstMisfits[place] ??= asText(value);
    }
    this.#values++;
    if (isNone) this.#none++;
    if (typeof value === "string") {
      this.#strings++;
      if (value === "\\N") this.#hasNullSign = true;
      if (COMMA_FRACTION.test(value)) this.#hasCommaFraction = true;
      if (this.#truthWords.size < TRUTH_WORDS) this.#truthWords.add(value.trim().toLowerCase());
      this.#fractionDigits = Math.max(this.#fractionDigits, fractionDigitsOf(value));
      if (!isNone) {
        this.#shape.add(value);
        this.#measuredTexts.add(value);
      }
      return;
    }
    if (typeof value === "boolean") this.#hasBoolean = true;
    this.#shape.add(String(value));
  }

  /** The narrowest definition that all values fit; "ambiguous" where it could be either of two. */
  #chosen(hasDecimalComma: boolean): FieldDraft | "ambiguous" | undefined {
    if (this.#values === this.#none) return undefined;
    let isAmbiguous = false;
    for (const place of orderOf(hasDecimalComma)) {
      const { definition, twin } = CANDIDATES[place]!;
      if (!this.#isAllowed(place) || this.#counts[place] !== this.#values) continue;
      if (twin === undefined || !this.#fitsFormat(twin)) return definition;
      isAmbiguous = true;
    }
    return isAmbiguous ? "ambiguous" : undefined;
  }

  #isAllowed(place: number): boolean {
    const { definition, isSpelt } = CANDIDATES[place]!;
    // In JSON, a text that spells a number is a text, unless others of the field are numbers.
    if (isSpelt && !this.#settings.areValuesText && this.#strings === this.#values) return false;
    if (definition.type !== "bool" || definition.coerce !== true || this.#hasBoolean) return true;
    // One word by itself says little; nor are digits alone truth values.
    const words = [...this.#truthWords].filter((word) => /^[a-z]/.test(word) && word !== "null");
    return (
      words.includes("true") || words.includes("false") || (words.length > 0 && this.#truthWords.size > 1)
    );
  }

  #fitsFormat(format: string): boolean {
    const place = CANDIDATES.findIndex(({ definition }) => definition.format === format);
    return this.#counts[place] === this.#values;
  }

  #ambiguous(): readonly [string, string] | undefined {
    const found = CANDIDATES.find(
      ({ twin, definition }) =>
        twin !== undefined && this.#fitsFormat(definition.format!) && this.#fitsFormat(twin),
    );
    return found === undefined ? undefined : [found.definition.format!, found.twin!];
  }

  /** The few values but for which the field had a narrower type. */
  #misfits(): Misfits | undefined {
    const allValues = this.#values;
    let best: number | undefined;
    for (const place of CANDIDATES.keys()) {
      const count = this.#counts[place]!;
      const isClose = count < allValues && allValues - count <= allValues * MISFIT_SHARE_MAX;
      if (isClose && this.#isAllowed(place) && (best === undefined || count > this.#counts[best]!))
        best = place;
    }
    if (best === undefined || this.#counts[best]! <= this.#none) return undefined;
    return {
      type: CANDIDATES[best]!.definition.type,
      values: allValues - this.#counts[best]!,
      allValues,
      example: shorten(this.#firstMisfits[best]!),
    };
  }
}

const DECIMAL_COMMA = CANDIDATES.findIndex(({ definition }) => definition.format === "1.234,56");
const COMMA_FRACTION = /\d,(?:\d{1,2}|\d{4,})\D*$/;
const FIRST_FRACTION = CANDIDATES.findIndex(({ definition }) => definition.type === "f64");

/** The order in which candidates are tried: `1.234` is 1.234, but not in a file that has `1,5`. */
function orderOf(hasDecimalComma: boolean): readonly number[] {
  const places = [...CANDIDATES.keys()];
  if (!hasDecimalComma) return places;
  const others = places.filter((place) => place !== DECIMAL_COMMA);
  return others.toSpliced(FIRST_FRACTION, 0, DECIMAL_COMMA);
}

/** Words that say true or false, and some others: more than these are none. */
const TRUTH_WORDS = 16;

const WRITTEN_LIST = { type: "text", multi: true, coerce: true } as FieldDefinition;

function writtenArray(text: string): readonly unknown[] | null {
  return /^\s*[[{]/.test(text) ? listedValues(WRITTEN_LIST, text) : null;
}

/** Seconds are the server's default and need not be said. */
function precisionOf(fractionDigits: number): { readonly precision?: DatetimePrecision } {
  if (fractionDigits === 0) return {};
  if (fractionDigits <= 3) return { precision: "milliseconds" };
  return { precision: fractionDigits <= 6 ? "microseconds" : "nanoseconds" };
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : writeJson(value);
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length <= 40 ? line : `${line.slice(0, 39)}…`;
}
