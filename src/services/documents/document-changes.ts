import type { IndexSchema } from "../../contract/index-schema.js";
import { memberAt } from "../../contract/nested-fields.js";
import { asWireObject, describeKind, memberOf, type WireObject } from "../../contract/wire-object.js";
import { type ErrorItem, FindlingError } from "../../errors/index.js";
import { canonicalValue, ValueProblem } from "../../intake/canonical-value.js";
import { DocumentNormalizer, NormalizationReport } from "../../intake/document-normalizer.js";
import type { DocumentChange, DocumentsChanged } from "../../ports/document-change.js";
import { intakeFields } from "./primary-key.js";

export interface ParsedChanges {
  readonly changes: readonly DocumentChange[];
  /** By change: which document it names, for messages, and the required fields that it has no values for. */
  readonly named: readonly { readonly name: string; readonly lacking: readonly string[] }[];
  readonly ignoredFields: readonly string[];
}

/** Documents that one refusal names. */
const NAMED_MAX = 20;

/** Members that say which document is meant, and as it was when. */
const ID = "_id";
const VERSION = "_version";

/**
 * The changes in a body of `PATCH /index/:index_name/documents`, in canonical form.
 *
 * @throws FindlingError `invalid_request` for too few or too many, `invalid_document` with each place
 */
export function parseChanges(
  schema: IndexSchema,
  body: unknown,
  countMax: number,
  awaited?: readonly string[],
): ParsedChanges {
  const raws: readonly unknown[] = Array.isArray(body) ? body : [body];
  if (raws.length === 0)
    throw new FindlingError("invalid_request", "the body must hold at least one document");
  if (raws.length > countMax) {
    throw new FindlingError(
      "invalid_request",
      `the body holds ${raws.length} documents, at most ${countMax} are allowed in one request`,
    );
  }
  const fields = intakeFields(schema);
  const byKey = new DocumentNormalizer(fields, awaited);
  // The key of a document that is named by its id stays, even one that no new document may have.
  let byId: DocumentNormalizer | undefined;
  const report = new NormalizationReport();
  const changes: DocumentChange[] = [];
  const named: { name: string; lacking: readonly string[] }[] = [];
  for (const [i, raw] of raws.entries()) {
    if (report.isFull) break;
    const path = `[${i}]`;
    const members = asWireObject(raw);
    if (members === undefined) {
      report.problem(path, `must be an object, not ${describeKind(raw)}`);
      continue;
    }
    const target = targetOf(schema, members, path, report);
    const version = versionOf(members, path, report);
    const rest = withoutTarget(members);
    let normalizer = byKey;
    if (target !== null && "id" in target)
      normalizer = byId ??= new DocumentNormalizer(withKept(fields, schema.primary_key), awaited);
    const { set, removed, lacking } = normalizer.normalizeChange(rest, path, report);
    if (target === null) continue;
    const isWhole = lacking.length === 0;
    changes.push({ target, set, removed, isWhole, ...(version === undefined ? {} : { version }) });
    named.push({ name: nameOf(schema, target), lacking });
  }
  const [first] = report.problems;
  if (first !== undefined) {
    throw new FindlingError("invalid_document", `no document was changed: ${first.message}`, {
      details: first.message,
      items: report.problems,
    });
  }
  return { changes, named, ignoredFields: report.ignoredFields };
}

/** The fields with a key that may be empty, as keys of before that was refused are. */
function withKept(fields: IndexSchema["fields"], key: string | undefined): IndexSchema["fields"] {
  if (key === undefined || !Object.hasOwn(fields, key)) return fields;
  const { filled: _, ...kept } = fields[key]!;
  return { ...fields, [key]: kept };
}

/** Why nothing was changed. */
export function refusedChanges(
  { primary_key: key }: IndexSchema,
  { named }: ParsedChanges,
  { missing, conflicting, incomplete, rekeyed }: Extract<DocumentsChanged, { readonly kind: "refused" }>,
): FindlingError {
  const items = (places: readonly number[], say: (place: number) => string): ErrorItem[] =>
    places.slice(0, NAMED_MAX).map((place) => ({ path: `[${place}]`, message: say(place) }));
  const nameAt = (place: number): string => named[place]!.name;
  const listed = (places: readonly number[]): string =>
    places.slice(0, NAMED_MAX).map(nameAt).join(", ") +
    (places.length > NAMED_MAX ? ` and ${places.length - NAMED_MAX} more` : "");
  if (missing.length > 0) {
    return new FindlingError(
      "document_not_found",
      `no document was changed: there is none with ${listed(missing)}`,
      {
        items: items(missing, (place) => `there is no document with ${nameAt(place)}`),
      },
    );
  }
  if (conflicting.length > 0) {
    return new FindlingError(
      "version_conflict",
      `no document was changed: other versions than were named have those with ${listed(conflicting)}`,
      { items: items(conflicting, (place) => `the document with ${nameAt(place)} has another version`) },
    );
  }
  if (rekeyed.length > 0) {
    return new FindlingError(
      "invalid_document",
      `no document was changed: '${key}' is the primary key, which stays: that of ${listed(rekeyed)}`,
      { items: items(rekeyed, (place) => `the primary key of the document with ${nameAt(place)} stays`) },
    );
  }
  return new FindlingError(
    "invalid_document",
    `no document was changed: there is none with ${listed(incomplete)}, and what would be added lacks required fields`,
    {
      items: items(
        incomplete,
        (place) =>
          `there is no document with ${nameAt(place)}, and a new one needs ${named[place]!.lacking.join(", ")}`,
      ),
    },
  );
}

/** The members that are documents'. Most changes name none of the others, and copying many members takes long. */
function withoutTarget(members: WireObject): WireObject {
  if (!Object.hasOwn(members, ID) && !Object.hasOwn(members, VERSION)) return members;
  const { [ID]: _, [VERSION]: __, ...rest } = members;
  return rest;
}

function targetOf(
  schema: IndexSchema,
  members: WireObject,
  path: string,
  report: NormalizationReport,
): DocumentChange["target"] | null {
  const { primary_key: key } = schema;
  const id = memberOf(members, ID);
  if (id !== undefined) {
    if (typeof id === "string") return { id };
    report.problem(`${path}.${ID}`, `must be a string, not ${describeKind(id)}`);
    return null;
  }
  if (key === undefined) {
    report.problem(path, "must name its document by '_id', as the index has no primary key");
    return null;
  }
  const raw = onlyValue(memberAt(members, key));
  if (raw === undefined) {
    report.problem(path, `must name its document by its primary key '${key}', or by '_id'`);
    return null;
  }
  const value = Array.isArray(raw) ? undefined : canonicalValue(schema.fields[key]!, raw);
  // What is wrong with it is told with the other members.
  return value === undefined || value instanceof ValueProblem ? null : { key: value };
}

/** A list of one value is that value, as in documents; undefined for a list of none. */
function onlyValue(raw: unknown): unknown {
  if (!Array.isArray(raw)) return raw;
  const values: readonly unknown[] = raw.filter((each) => each !== null);
  return values.length > 1 ? values : values[0];
}

function versionOf(members: WireObject, path: string, report: NormalizationReport): string | undefined {
  if (!Object.hasOwn(members, VERSION)) return undefined;
  const version = members[VERSION];
  if (typeof version === "string") return version;
  report.problem(`${path}.${VERSION}`, `must be a string, as hits show it, not ${describeKind(version)}`);
  return undefined;
}

function nameOf({ primary_key: key }: IndexSchema, target: DocumentChange["target"]): string {
  return "id" in target ? `_id '${target.id}'` : `${key} '${String(target.key)}'`;
}
