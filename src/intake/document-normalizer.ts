import type { CanonicalDocument, CanonicalValue } from "../contract/canonical-value.js";
import { type FieldDefinition, type IndexSchema, isIdentifierField } from "../contract/index-schema.js";
import { nearestNameAdvice } from "../contract/nearest-name.js";
import { asWireObject, describeKind, memberOf, type WireObject } from "../contract/wire-object.js";
import type { ErrorItem } from "../errors/index.js";
import { canonicalValue, ValueProblem } from "./canonical-value.js";
import { listedValues } from "./coerced-value.js";

/** What came up while documents were brought into shape. */
export class NormalizationReport {
  readonly problems: ErrorItem[] = [];
  readonly #ignoredFields = new Set<string>();

  /** Enough problems to be of help: looking for more would only cost time. */
  get isFull(): boolean {
    return this.problems.length >= MAX_PROBLEMS;
  }

  get ignoredFields(): readonly string[] {
    return [...this.#ignoredFields];
  }

  problem(path: string, message: string): void {
    this.problems.push({ path, message: `${path === "" ? "the body" : `'${path}'`} ${message}` });
  }

  ignored(field: string): void {
    if (this.#ignoredFields.size < MAX_IGNORED_FIELDS) this.#ignoredFields.add(field);
  }
}

const MAX_PROBLEMS = 20;
const MAX_IGNORED_FIELDS = 20;

/** Brings documents into the canonical form of one schema (contract 4.3). */
export class DocumentNormalizer {
  readonly #fields: readonly (readonly [string, FieldDefinition])[];
  readonly #names: ReadonlySet<string>;

  constructor(fields: IndexSchema["fields"]) {
    this.#fields = Object.entries(fields);
    this.#names = new Set(Object.keys(fields));
  }

  /**
   * The document in canonical form, which normalizes to itself; what is wrong with it goes to the
   * report, and then the result is of no use.
   *
   * @param path the document's place, such as `[3]`, or empty if it is the whole body
   */
  normalize(raw: unknown, path: string, report: NormalizationReport): CanonicalDocument {
    const document: Record<string, CanonicalValue> = {};
    const members = asWireObject(raw);
    if (members === undefined) {
      const expected = path === "" ? "an object, or a list of them" : "an object";
      report.problem(path, `must be ${expected}, not ${describeKind(raw)}`);
      return document;
    }
    const problemsAtStart = report.problems.length;
    for (const [name, field] of this.#fields) {
      const place = path === "" ? name : `${path}.${name}`;
      const problemsBefore = report.problems.length;
      const value = fieldValue(field, memberOf(members, name), place, report);
      if (value !== undefined) document[name] = identified(name, field, value);
      else if (field.required && report.problems.length === problemsBefore)
        report.problem(place, "is required");
    }
    for (const name of Object.keys(members)) {
      if (!this.#names.has(name) && members[name] !== null) report.ignored(name);
    }
    if (report.problems.length === problemsAtStart && Object.keys(document).length === 0) {
      report.problem(path, nothingKept(Object.keys(members), [...this.#names]));
    }
    return document;
  }

  /**
   * As `normalize`, for members alone that are to be changed: null, or an empty list, takes a field's value away.
   *
   * @param members without those that say which document is meant
   */
  normalizeChange(members: WireObject, path: string, report: NormalizationReport): NormalizedChange {
    const set: Record<string, CanonicalValue> = {};
    const removed: string[] = [];
    const lacking: string[] = [];
    for (const [name, field] of this.#fields) {
      if (!Object.hasOwn(members, name)) {
        if (field.required) lacking.push(name);
        continue;
      }
      const place = `${path}.${name}`;
      const problemsBefore = report.problems.length;
      const value = fieldValue(field, memberOf(members, name), place, report);
      if (value !== undefined) set[name] = identified(name, field, value);
      else if (report.problems.length === problemsBefore && field.required)
        report.problem(place, "is required");
      else removed.push(name);
    }
    for (const name of Object.keys(members)) if (!this.#names.has(name)) report.ignored(name);
    return { set, removed, lacking };
  }
}

/** Members of a document that are to be changed. */
export interface NormalizedChange {
  readonly set: CanonicalDocument;
  readonly removed: readonly string[];
  /** Required fields that it has no values for. */
  readonly lacking: readonly string[];
}

/** Why a document of which nothing would be kept is none. */
function nothingKept(members: readonly string[], fields: readonly string[]): string {
  const unknown = members.find((name) => !fields.includes(name));
  const found =
    unknown === undefined
      ? ""
      : `: there is no field '${unknown.slice(0, NAME_LENGTH_MAX)}'${nearestNameAdvice(unknown, fields)}`;
  return `has no value for any field of the index${found}`;
}

/** A field's value as it is kept: identifiers that look the same are the same, their text in NFC. */
export function identified(name: string, field: FieldDefinition, value: CanonicalValue): CanonicalValue {
  return isIdentifierField(name, field) ? composed(value) : value;
}

function composed(value: CanonicalValue): CanonicalValue {
  if (typeof value === "string") return value.normalize("NFC");
  return Array.isArray(value) ? value.map(composed) : value;
}

/** How much of a member's name is worth quoting. */
const NAME_LENGTH_MAX = 100;

/** Undefined if the value is absent, or wrong and reported. */
function fieldValue(
  field: FieldDefinition,
  written: unknown,
  place: string,
  report: NormalizationReport,
): CanonicalValue | undefined {
  if (written === undefined) return undefined;
  const isList = field.coerce === true && field.multi && typeof written === "string";
  const raw = isList ? (listedValues(field, written) ?? written) : written;
  // An array is a value of its own in a json field that doesn't hold several.
  if (!Array.isArray(raw) || (field.type === "json" && !field.multi)) {
    const value = reported(field, raw, place, report);
    return value === undefined || !field.multi ? value : [value];
  }
  const present = raw.filter((element) => element !== null);
  if (!field.multi && present.length > 1) {
    report.problem(place, `holds one value, not ${present.length}: the field is not 'multi'`);
    return undefined;
  }
  const values: CanonicalValue[] = [];
  for (let i = 0; i < raw.length; i++) {
    if (raw[i] === null) continue;
    const value = reported(field, raw[i], `${place}[${i}]`, report);
    if (value !== undefined) values.push(value);
    if (report.isFull) return undefined;
  }
  if (values.length === 0) return undefined;
  return field.multi ? values : values[0];
}

/** Undefined if there is no value, or it is wrong, which is then in the report. */
function reported(
  field: FieldDefinition,
  raw: unknown,
  place: string,
  report: NormalizationReport,
): CanonicalValue | undefined {
  const value = canonicalValue(field, raw);
  if (!(value instanceof ValueProblem)) return value;
  report.problem(place, value.message);
  return undefined;
}
