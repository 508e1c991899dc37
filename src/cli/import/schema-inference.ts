import type { DatetimePrecision, FieldDraft, FieldType, NamedIndexDraft } from "../../client/index.js";
import type { JsonObject } from "./record-parser.js";

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

/** What one value can be; the server takes every number as f64 and everything scalar as text. */
type ValueKind = "bool" | "u64" | "i64" | "f64" | "datetime" | "facet" | "text" | "json";

interface Observation {
  /** Values of each kind, and the first of them, shortened. */
  readonly kinds: Map<ValueKind, { count: number; readonly example: string }>;
  documents: number;
  hasArray: boolean;
  fractionDigits: number;
  example: string | undefined;
}

/**
 * Guesses an index schema from documents: for every member the narrowest field type that holds all
 * of its values. A member called `id` is always text, facets are strings that all begin with `/`,
 * arrays make a field `multi`, objects are kept as `json`. With `areValuesText`, as from CSV,
 * strings count as what they spell.
 */
export class SchemaInference {
  readonly #areValuesText: boolean;
  readonly #observations = new Map<string, Observation>();
  readonly #unusable = new Set<string>();

  constructor(options: { readonly areValuesText: boolean }) {
    this.#areValuesText = options.areValuesText;
  }

  add(document: JsonObject): void {
    for (const [name, value] of Object.entries(document)) {
      if (name === "_id" || value === null) continue;
      if (!FIELD_NAME.test(name) || name === "__proto__") {
        this.#unusable.add(name);
        continue;
      }
      if (Array.isArray(value) && value.every((item) => item === null)) continue;
      this.#observe(name, value);
    }
  }

  result(indexName: string): InferredSchema {
    const fields: InferredField[] = [];
    for (const [name, observation] of this.#observations) {
      const definition = defineField(name, observation);
      const misfits = definition.type === "text" && name !== "id" ? findMisfits(observation) : undefined;
      fields.push({
        name,
        definition,
        documents: observation.documents,
        example: observation.example ?? "",
        ...(misfits !== undefined && { misfits }),
      });
    }
    const definitions = Object.fromEntries(fields.map((field) => [field.name, field.definition]));
    return { index: { name: indexName, fields: definitions }, fields, unusableNames: [...this.#unusable] };
  }

  #observe(name: string, value: unknown): void {
    let observation = this.#observations.get(name);
    if (observation === undefined) {
      observation = {
        kinds: new Map(),
        documents: 0,
        hasArray: false,
        fractionDigits: 0,
        example: undefined,
      };
      this.#observations.set(name, observation);
    }
    observation.documents++;
    observation.example ??= shorten(asText(value));
    if (Array.isArray(value)) observation.hasArray = true;
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (item === null) continue;
      const kind = kindOf(item, this.#areValuesText);
      const seen = observation.kinds.get(kind);
      if (seen === undefined) observation.kinds.set(kind, { count: 1, example: shorten(asText(item)) });
      else seen.count++;
      if (kind === "datetime") {
        const digits = DATETIME.exec(item as string)?.[1]?.length ?? 0;
        observation.fractionDigits = Math.max(observation.fractionDigits, digits);
      }
    }
  }
}

const FIELD_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,127}$/;
const DATETIME = /^\d{4}-\d{2}-\d{2}(?:[Tt]\d{2}:\d{2}:\d{2}(?:\.(\d{1,9}))?(?:[Zz]|[+-]\d{2}:\d{2}))?$/;
/** No leading zeros, which a postal code or an article number would lose. */
const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const FACET_PATH = /^(?:\/[^/]+)+\/?$/;

function kindOf(value: unknown, isText: boolean): ValueKind {
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "number":
      return numberKind(value);
    case "string":
      return stringKind(value, isText);
    default:
      return "json";
  }
}

function numberKind(value: number): ValueKind {
  if (!Number.isSafeInteger(value)) return "f64";
  return value < 0 ? "i64" : "u64";
}

function stringKind(value: string, isText: boolean): ValueKind {
  if (DATETIME.test(value) && !Number.isNaN(Date.parse(value))) return "datetime";
  if (FACET_PATH.test(value)) return "facet";
  if (!isText) return "text";
  if (value === "true" || value === "false") return "bool";
  if (INTEGER.test(value)) return Number.isSafeInteger(Number(value)) ? numberKind(Number(value)) : "text";
  return NUMBER.test(value) && Number.isFinite(Number(value)) ? "f64" : "text";
}

function defineField(name: string, observation: Observation): FieldDraft {
  if (observation.kinds.has("json")) return { type: "json" };
  const type = name === "id" ? "text" : narrowestType(new Set(observation.kinds.keys()));
  const multi = observation.hasArray ? { multi: true } : {};
  if (type !== "datetime") return { type, ...multi };
  return { type, ...multi, ...precisionOf(observation.fractionDigits) };
}

function narrowestType(kinds: ReadonlySet<ValueKind>): FieldType {
  const [only] = kinds;
  if (kinds.size === 1) return only!;
  const areNumbers = [...kinds].every((kind) => kind === "u64" || kind === "i64" || kind === "f64");
  if (!areNumbers) return "text";
  return kinds.has("f64") ? "f64" : "i64";
}

/** The few values of one kind but for which the field had a narrower type. */
function findMisfits({ kinds }: Observation): Misfits | undefined {
  const allValues = [...kinds.values()].reduce((sum, { count }) => sum + count, 0);
  for (const [misfit, { count, example }] of kinds) {
    if (count > allValues * MISFIT_SHARE_MAX) continue;
    const type = narrowestType(new Set([...kinds.keys()].filter((kind) => kind !== misfit)));
    if (type !== "text") return { type, values: count, allValues, example };
  }
  return undefined;
}

/** Seconds are the server's default and need not be said. */
function precisionOf(fractionDigits: number): { readonly precision?: DatetimePrecision } {
  if (fractionDigits === 0) return {};
  if (fractionDigits <= 3) return { precision: "milliseconds" };
  return { precision: fractionDigits <= 6 ? "microseconds" : "nanoseconds" };
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length <= 40 ? line : `${line.slice(0, 39)}…`;
}
