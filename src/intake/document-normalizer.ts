import type { CanonicalDocument, CanonicalValue } from "../contract/canonical-value.js";
import type { FieldDefinition, IndexSchema } from "../contract/index-schema.js";
import { nearestNameAdvice } from "../contract/nearest-name.js";
import { hasPaths, SHAPES_MEMBER } from "../contract/nested-fields.js";
import { asWireObject, describeKind, memberOf, type WireObject } from "../contract/wire-object.js";
import { type ErrorItem, FindlingError } from "../errors/index.js";
import { canonicalValue, ValueProblem } from "./canonical-value.js";
import { listedValues } from "./coerced-value.js";
import { type FieldMembers, type ListedValue, NestedMembers } from "./nested-members.js";

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

/** After which a field that is being added may be there. */
const AWAITED_SECONDS = 2;

const MAX_PROBLEMS = 20;
const MAX_IGNORED_FIELDS = 20;

/** Brings documents into the canonical form of one schema (contract 4.3). */
export class DocumentNormalizer {
  readonly #fields: readonly (readonly [string, FieldDefinition])[];
  readonly #names: ReadonlySet<string>;
  readonly #awaited: readonly string[];
  /** Null where names of fields are names of members. */
  readonly #nested: NestedMembers | null;

  /** @param awaited names of fields that the index is about to have */
  constructor(fields: IndexSchema["fields"], awaited: readonly string[] = []) {
    this.#fields = Object.entries(fields);
    this.#names = new Set(Object.keys(fields));
    this.#awaited = awaited;
    this.#nested = hasPaths(fields) ? new NestedMembers(Object.keys(fields)) : null;
  }

  /**
   * The document in canonical form, which normalizes to itself; what is wrong with it goes to the
   * report, and then the result is of no use.
   *
   * @param path the document's place, such as `[3]`, or empty if it is the whole body
   * @throws FindlingError `rate_limited` for a value of a field that is awaited
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
    const read = this.#read(members, path, report);
    for (const [name, field] of this.#fields) {
      const place = path === "" ? name : `${path}.${name}`;
      const problemsBefore = report.problems.length;
      const value =
        read === null
          ? fieldValue(field, memberOf(members, name), place, report)
          : readValue(field, read, name, place, report);
      if (value !== undefined) document[name] = value;
      else if (field.required && report.problems.length === problemsBefore)
        report.problem(place, "is required");
    }
    if (read === null) {
      for (const name of Object.keys(members)) {
        if (!this.#names.has(name) && members[name] !== null) this.#ignore(name, report);
      }
    }
    if (report.problems.length === problemsAtStart && Object.keys(document).length === 0) {
      report.problem(path, nothingKept(Object.keys(members), [...this.#names]));
    }
    const shapes = read?.shapes();
    if (shapes !== undefined) document[SHAPES_MEMBER] = shapes as unknown as CanonicalValue;
    return document;
  }

  /**
   * As `normalize`, for members alone that are to be changed: null, or an empty list, takes a field's value away, and
   * those of all fields in what is named so. Of an object the fields that it names are changed; a list of objects takes
   * the place of all that was there.
   *
   * @param members without those that say which document is meant
   */
  normalizeChange(members: WireObject, path: string, report: NormalizationReport): NormalizedChange {
    const set: Record<string, CanonicalValue> = {};
    const removed: string[] = [];
    const lacking: string[] = [];
    const read = this.#read(members, path, report);
    for (const [name, field] of this.#fields) {
      if (!(read === null ? Object.hasOwn(members, name) : isNamed(read, name))) {
        if (field.required) lacking.push(name);
        continue;
      }
      const place = `${path}.${name}`;
      const problemsBefore = report.problems.length;
      const value =
        read === null
          ? fieldValue(field, memberOf(members, name), place, report)
          : readValue(field, read, name, place, report);
      if (value !== undefined) set[name] = value;
      else if (report.problems.length === problemsBefore && field.required)
        report.problem(place, "is required");
      else removed.push(name);
    }
    if (read === null) {
      for (const name of Object.keys(members)) if (!this.#names.has(name)) this.#ignore(name, report);
    }
    const shapes = read?.shapes();
    if (shapes !== undefined) set[SHAPES_MEMBER] = shapes as unknown as CanonicalValue;
    return { set, removed, lacking };
  }

  #read(members: WireObject, path: string, report: NormalizationReport): FieldMembers | null {
    if (this.#nested === null) return null;
    return this.#nested.read(members, path, {
      problem: (place, message) => report.problem(place, message),
      ignored: (name) => this.#ignore(name, report),
    });
  }

  /** A value of a field that has been accepted, and isn't there yet, must not get lost. */
  #ignore(name: string, report: NormalizationReport): void {
    if (!this.#awaited.includes(name)) {
      report.ignored(name);
      return;
    }
    throw new FindlingError(
      "rate_limited",
      `field '${name}' is being added to the index, which takes values of it in a moment; send this again then`,
      { retryAfterSeconds: AWAITED_SECONDS },
    );
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

/** How much of a member's name is worth quoting. */
const NAME_LENGTH_MAX = 100;

/** Whether a change says anything of a field, of its own or by what it is in. */
function isNamed({ plain, listed, whole }: FieldMembers, name: string): boolean {
  return plain.has(name) || listed.has(name) || whole.some((path) => name.startsWith(`${path}.`));
}

/** As `fieldValue`, of what may be in objects and lists of them. */
function readValue(
  field: FieldDefinition,
  { plain, listed }: FieldMembers,
  name: string,
  place: string,
  report: NormalizationReport,
): CanonicalValue | undefined {
  const values = listed.get(name);
  return values === undefined
    ? fieldValue(field, plain.get(name) ?? undefined, place, report)
    : listedValue(field, values, place, report);
}

/** The values of a field that stand in the objects of a list; what became of each is noted. */
function listedValue(
  field: FieldDefinition,
  listed: readonly ListedValue[],
  place: string,
  report: NormalizationReport,
): CanonicalValue | undefined {
  // An array is a value of its own in a json field that doesn't hold several.
  const isWhole = field.type === "json" && !field.multi;
  const several = isWhole || field.multi ? field : { ...field, multi: true };
  const all: CanonicalValue[] = [];
  for (const value of listed) {
    const found = fieldValue(several, value.written, value.place, report);
    if (report.isFull) return undefined;
    if (found === undefined) continue;
    const values = isWhole ? [found] : (found as readonly CanonicalValue[]);
    all.push(...values);
    value.shape = !isWhole && (Array.isArray(value.written) || values.length > 1) ? values.length : 0;
  }
  if (field.multi || all.length <= 1) return field.multi && all.length > 0 ? all : all[0];
  report.problem(place, `holds one value, not ${all.length}: the field is not 'multi'`);
  return undefined;
}

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
