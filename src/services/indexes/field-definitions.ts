import type { FieldDraft } from "../../contract/index-bodies.js";
import type { FieldDefinition } from "../../contract/index-schema.js";
import { invalidSchema } from "./invalid-schema.js";

const FIELD_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,127}$/;

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
  return Object.fromEntries(
    entries.map(([name, draft]) => {
      requireFieldName(name);
      return [name, completeField(draft)];
    }),
  );
}

function requireFieldName(name: string): void {
  if (RESERVED_NAMES.includes(name)) {
    throw invalidSchema(`fields.${name}`, `'${name}' can't be the name of a field, it is reserved`);
  }
  if (!FIELD_NAME.test(name)) {
    throw invalidSchema(
      `fields.${name}`,
      `'${name}' can't be the name of a field: it starts with a letter or '_' and has at most 128 letters, digits, '_' and '-'`,
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
