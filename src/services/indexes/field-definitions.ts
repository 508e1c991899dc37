import type { FieldDraft } from "../../contract/index-bodies.js";
import type { FieldDefinition } from "../../contract/index-schema.js";
import { pathsAbove, rootOf } from "../../contract/nested-fields.js";
import { isNumberFormat, NUMBER_FORMATS } from "../../contract/values/number-format.js";
import { isTimeFormat } from "../../contract/values/written-time.js";
import { invalidSchema } from "./invalid-schema.js";

/** A name, or several with dots between: a path within objects. */
const FIELD_NAME = /^[A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z_][A-Za-z0-9_-]*)*$/;
const NAME_LENGTH_MAX = 128;

/** `_id` is the internal id; `__proto__` is no ordinary member of a JavaScript object. */
const RESERVED_NAMES: readonly string[] = ["_id", "__proto__"];

/**
 * The fields of an index with every default of contract 4.2 filled in, in the order given. What a
 * type has no use for, such as `fast` on text, is dropped.
 *
 * @throws FindlingError `invalid_schema`
 */
export function completeFields(
  drafts: Readonly<Record<string, FieldDraft>>,
): Readonly<Record<string, FieldDefinition>> {
  const entries = Object.entries(drafts);
  if (entries.length === 0) throw invalidSchema("fields", "'fields' must name at least one field");
  requireApart(Object.keys(drafts));
  return Object.fromEntries(
    entries.map(([name, draft]) => {
      requireFieldName(name);
      return [name, { ...completeField(draft), ...completeExtensions(name, draft) }];
    }),
  );
}

function requireFieldName(name: string): void {
  if (RESERVED_NAMES.includes(rootOf(name)) || name.split(".").includes("__proto__")) {
    throw invalidSchema(`fields.${name}`, `'${name}' can't be the name of a field, it is reserved`);
  }
  if (!FIELD_NAME.test(name) || name.length > NAME_LENGTH_MAX) {
    throw invalidSchema(
      `fields.${name}`,
      `'${name}' can't be the name of a field: it starts with a letter or '_' and has at most 128 letters, digits, '_' and '-', and a '.' between the names of objects and their members`,
    );
  }
}

/** What is a value can't be an object with other fields in it. */
export function requireApart(names: readonly string[]): void {
  const known = new Set(names);
  for (const name of names) {
    const above = pathsAbove(name).find((path) => known.has(path));
    if (above === undefined) continue;
    throw invalidSchema(
      `fields.${name}`,
      `'${name}' can't be a field, as '${above}' is one itself and no object; leave out one of them`,
    );
  }
}

function completeField(draft: FieldDraft): FieldDefinition {
  const { type } = draft;
  const common = {
    type,
    required: draft.required ?? false,
    stored: draft.stored ?? true,
    indexed: draft.indexed ?? true,
    multi: draft.multi ?? false,
  };
  switch (type) {
    case "text":
      return common;
    case "facet":
      return { ...common, indexed: true };
    case "bool":
    case "f64":
    case "u64":
    case "i64":
      return { ...common, fast: draft.fast ?? true };
    case "datetime":
      return { ...common, fast: draft.fast ?? true, precision: draft.precision ?? "seconds" };
    case "bytes":
    case "json":
      // Kept and returned, but nothing can be asked of them.
      return { ...common, indexed: false, fast: false };
  }
}

/** The members beyond the specification, each only where it says something. */
function completeExtensions(name: string, draft: FieldDraft): Partial<FieldDefinition> {
  const { type, coerce, format, separator, path_separator, hierarchical } = draft;
  const refuse = (member: keyof FieldDraft, problem: string): never => {
    const path = `fields.${name}.${member}`;
    throw invalidSchema(path, `'${path}' ${problem}`);
  };
  const isPlain = type === "bytes" || type === "json";
  if (coerce === true && isPlain) refuse("coerce", `means nothing for a field of type ${type}`);
  if (hierarchical === false && type !== "facet") refuse("hierarchical", "is for fields of type facet");
  for (const member of ["format", "separator", "path_separator"] as const) {
    if (draft[member] !== undefined && coerce !== true) refuse(member, `needs '"coerce": true'`);
  }
  if (format !== undefined) requireFormat(type, format, refuse);
  if (separator !== undefined && draft.multi !== true) {
    refuse("separator", `needs '"multi": true': it stands between several values`);
  }
  if (path_separator !== undefined && (type !== "facet" || hierarchical === false)) {
    refuse("path_separator", "is for facets of paths");
  }
  if (path_separator !== undefined && path_separator === separator) {
    refuse("path_separator", "must be another one than 'separator'");
  }
  return {
    ...(coerce === true ? { coerce } : {}),
    ...(format === undefined ? {} : { format }),
    ...(separator === undefined ? {} : { separator }),
    ...(path_separator === undefined ? {} : { path_separator }),
    ...(hierarchical === false ? { hierarchical } : {}),
  };
}

function requireFormat(
  type: FieldDraft["type"],
  format: string,
  refuse: (member: "format", problem: string) => never,
): void {
  if (type === "f64" || type === "u64" || type === "i64") {
    if (isNumberFormat(format)) return;
    refuse("format", `must be one of ${NUMBER_FORMATS.map((each) => `'${each}'`).join(", ")}`);
  }
  if (type !== "datetime") refuse("format", "is for numbers and datetimes");
  if (isTimeFormat(format)) return;
  const letters = "YYYY, MM, DD, HH, mm, ss and the like with day, month and year";
  refuse("format", `must be unix_ms, or a pattern of ${letters}, such as DD.MM.YYYY HH:mm`);
}
