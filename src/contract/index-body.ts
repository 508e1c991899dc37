import Type from "typebox";
import { FindlingError } from "../errors/index.js";
import { settledAiConfig } from "./ai-body.js";
import { checkShape } from "./check-shape.js";
import {
  FIELDS_MAX,
  type FieldDraft,
  type FieldPatchDraft,
  fieldsPatchSchema,
  type IndexDraft,
  type IndexExtensionsDraft,
  type IndexSettingsDraft,
  indexDraftSchema,
  indexExtensionsSchema,
  indexPatchSchema,
} from "./index-bodies.js";
import { FIELD_TYPES } from "./index-schema.js";
import { invalidMember, requireObject } from "./invalid-member.js";
import { nearestNameAdvice } from "./nearest-name.js";
import { asWireObject, describeKind, memberOf, type WireObject, withoutNulls } from "./wire-object.js";
import { schemaOf, type WireSchema } from "./wire-schema.js";

/** Every setting that PATCH may change (contract 3.2). */
const PATCHABLE_MEMBERS = [
  "search_fields",
  "weight_multipliers",
  "language",
  "time_decay_field",
  "auto_commit_delay",
  "exclude_stop_words",
  "enable_language_stemming",
  "ingestion",
  "ai_enabled",
  "ai",
] as const satisfies readonly (keyof IndexSettingsDraft)[];

/** The settings beyond the specification, which `PATCH /index/:index_name/settings` changes. */
const EXTENSION_MEMBERS = [
  "fold_diacritics",
  "symbols",
  "suggest_field",
  "primary_key",
] as const satisfies readonly (keyof IndexExtensionsDraft)[];

const FIELD_MEMBERS = [
  "type",
  "required",
  "stored",
  "indexed",
  "fast",
  "multi",
  "precision",
  "coerce",
  "format",
  "separator",
  "path_separator",
  "hierarchical",
] as const satisfies readonly (keyof FieldDraft)[];

/** What was found of a schema in a body: under `index`, twice under `index`, or bare at the top level. */
export interface LocatedSchema {
  /** Not an object yet, whatever was sent. */
  readonly value: unknown;
  readonly overrideIfExists: unknown;
}

/** A body's settings, and which of them it wants cleared by naming them with null. */
export interface ParsedSettings<Draft> {
  readonly draft: Draft;
  readonly cleared: ReadonlySet<string>;
}

/** Never throws, so that permission and existence can be checked before the body is. */
export function locateIndexSchema(body: unknown): LocatedSchema {
  const outer = asWireObject(body) ?? {};
  const overrideIfExists = memberOf(outer, "override_if_exists");
  const index = memberOf(outer, "index");
  if (index === undefined) {
    const isBare = memberOf(outer, "name") !== undefined || memberOf(outer, "fields") !== undefined;
    return { value: isBare ? outer : undefined, overrideIfExists };
  }
  const inner = memberOf(asWireObject(index) ?? {}, "index");
  if (asWireObject(inner) === undefined) return { value: index, overrideIfExists };
  return { value: inner, overrideIfExists };
}

/** Whether the schema says anything of `ai_enabled`, which needs bit 16 (contract 2.3). */
export function carriesAiEnabled(schema: unknown): boolean {
  return memberOf(asWireObject(schema) ?? {}, "ai_enabled") !== undefined;
}

/**
 * The schema of a POST or PUT body: every member has its type, nulls and unknown members are gone,
 * `[]` has become `{}` where a map belongs.
 *
 * @throws FindlingError `invalid_index` if there is none, `invalid_schema` naming the place in the schema, wherever that lay
 */
export function parseIndexDraft({ value }: LocatedSchema): ParsedSettings<IndexDraft> {
  const object = asWireObject(value);
  if (object === undefined) {
    const found = value === undefined ? "is missing" : `must be an object, not ${describeKind(value)}`;
    throw new FindlingError("invalid_index", `'index', the schema of the index, ${found}`);
  }
  const fields = memberOf(object, "fields");
  requireFew("fields", fields);
  const settled = settledSettings(object, ["name", ...PATCHABLE_MEMBERS, ...EXTENSION_MEMBERS]);
  const draft: unknown = fields === undefined ? settled : { ...settled, fields: settledFields(fields) };
  requireKnownFieldTypes(fields);
  checkShape(indexDraftSchema, draft, "invalid_schema");
  return { draft, cleared: clearedMembers(object) };
}

/**
 * The settings of a PATCH body.
 *
 * @throws FindlingError `not_patchable` for a member that may not be changed, `invalid_schema` naming the place
 */
export function parseIndexPatch(body: unknown, indexName: string): ParsedSettings<IndexSettingsDraft> {
  const object = requireObject(body);
  requirePatchable(object, indexName, PATCHABLE_MEMBERS);
  const settled = settledSettings(object, PATCHABLE_MEMBERS);
  checkShape(indexPatchSchema, settled, "invalid_schema");
  return { draft: settled, cleared: clearedMembers(object) };
}

/**
 * The settings of a body of `PATCH /index/:index_name/settings`.
 *
 * @throws FindlingError `not_patchable` for a member that may not be changed, `invalid_schema` naming the place
 */
export function parseIndexExtensions(body: unknown, indexName: string): ParsedSettings<IndexExtensionsDraft> {
  const object = requireObject(body);
  requirePatchable(object, indexName, EXTENSION_MEMBERS);
  const settled = settledSettings(object, EXTENSION_MEMBERS);
  checkShape(indexExtensionsSchema, settled, "invalid_schema");
  return { draft: settled, cleared: clearedMembers(object) };
}

/**
 * The fields of a body of `PATCH /index/:index_name/fields`.
 *
 * @throws FindlingError `invalid_schema` naming the place
 */
export function parseFieldsPatch(body: unknown): Readonly<Record<string, FieldPatchDraft>> {
  const object = requireObject(body);
  requireFew("fields", object);
  for (const [name, field] of Object.entries(object)) {
    if (field === null)
      throw invalidMember(
        `fields.${name}`,
        "can't be removed from an index; fill a new one without it",
        "invalid_schema",
      );
  }
  const fields = settledFields(object);
  requireKnownFieldTypes(object);
  const shaped = { fields };
  checkShape(fieldsPatchBody, shaped, "invalid_schema");
  const named = Object.keys(shaped.fields);
  if (named.length > 0) return shaped.fields;
  throw new FindlingError(
    "invalid_request",
    'the body must name at least one field, such as {"colour": {"type": "text"}}',
  );
}

/** Under a name of its own, so that places in it are told as those of a whole schema. */
const fieldsPatchBody: WireSchema<{ readonly fields: Readonly<Record<string, FieldPatchDraft>> }> = schemaOf<{
  readonly fields: Readonly<Record<string, FieldPatchDraft>>;
}>()(Type.Object({ fields: Type.Unsafe<Readonly<Record<string, FieldPatchDraft>>>(fieldsPatchSchema) }));

function requirePatchable(object: WireObject, indexName: string, known: readonly string[]): void {
  for (const [name, value] of Object.entries(object)) {
    if (known.includes(name) || value === null || (name === "name" && value === indexName)) continue;
    throw new FindlingError("not_patchable", `'${name}' can't be patched${adviceFor(name, known)}`, {
      items: [{ path: name, message: `only ${known.join(", ")} can be patched` }],
    });
  }
}

function adviceFor(name: string, known: readonly string[]): string {
  if (name === "index") return ": send the settings at the top level, not inside 'index'";
  if (name === "fields")
    return ": PATCH /index/:index_name/fields adds and changes some, PUT replaces the index and removes its documents";
  const others: readonly string[] = [...PATCHABLE_MEMBERS, ...EXTENSION_MEMBERS];
  if (others.includes(name)) {
    const path = known === EXTENSION_MEMBERS ? "/index/:index_name" : "/index/:index_name/settings";
    return `: PATCH ${path} changes it`;
  }
  return nearestNameAdvice(name, known);
}

/** Each field costs every commit and every merge something; and looking at each of many keeps others waiting. */
function requireFew(member: string, value: unknown): void {
  const count = Array.isArray(value) ? value.length : Object.keys(asWireObject(value) ?? {}).length;
  if (count <= FIELDS_MAX) return;
  const problem = `names ${count} fields, at most ${FIELDS_MAX} are allowed; keep what nobody searches in one field of type json`;
  throw invalidMember(member, problem, "invalid_schema");
}

function settledSettings(object: WireObject, members: readonly string[]): WireObject {
  requireFew("search_fields", memberOf(object, "search_fields"));
  requireFew("weight_multipliers", memberOf(object, "weight_multipliers"));
  const settled: Record<string, unknown> = {};
  for (const member of members) {
    const value = memberOf(object, member);
    if (value !== undefined) settled[member] = settledSetting(member, value);
  }
  return settled;
}

function settledSetting(member: string, value: unknown): unknown {
  switch (member) {
    case "weight_multipliers": {
      const multipliers = asWireObject(value);
      return multipliers === undefined ? value : withoutNulls(multipliers);
    }
    case "ai":
      return settledAiConfig(value);
    default:
      return value;
  }
}

function settledFields(value: unknown): unknown {
  const fields = asWireObject(value);
  if (fields === undefined) return value;
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, field]) => field !== null)
      .map(([name, field]) => [name, settledField(field)]),
  );
}

function settledField(value: unknown): unknown {
  const field = asWireObject(value);
  if (field === undefined) return value;
  const known = FIELD_MEMBERS.map((member) => [member, memberOf(field, member)] as const);
  return Object.fromEntries(known.filter(([, setting]) => setting !== undefined));
}

function requireKnownFieldTypes(fields: unknown): void {
  for (const [name, field] of Object.entries(asWireObject(fields) ?? {})) {
    const type = memberOf(asWireObject(field) ?? {}, "type");
    if (typeof type !== "string" || (FIELD_TYPES as readonly string[]).includes(type)) continue;
    const advice = nearestNameAdvice(type, FIELD_TYPES);
    const place = `fields.${name}.type`;
    const message = `'${place}': there is no type '${type}'${advice}`;
    throw new FindlingError("invalid_schema", message, {
      details: `a field's type is one of ${FIELD_TYPES.join(", ")}`,
      items: [{ path: place, message }],
    });
  }
}

function clearedMembers(object: WireObject): ReadonlySet<string> {
  return new Set(
    [...PATCHABLE_MEMBERS, ...EXTENSION_MEMBERS].filter(
      (member) => Object.hasOwn(object, member) && object[member] === null,
    ),
  );
}
