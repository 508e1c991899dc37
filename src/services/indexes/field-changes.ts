import { FIELDS_MAX, type FieldDraft, type FieldPatchDraft } from "../../contract/index-bodies.js";
import { type FieldDefinition, fieldDefinition, type IndexSchema } from "../../contract/index-schema.js";
import type { SearchBackend, StorageId } from "../../ports/search-backend.js";
import { completeFields, requireApart } from "./field-definitions.js";
import { invalidSchema } from "./invalid-schema.js";
import { listOf } from "./unique-keys.js";

/** What says how a field's values are kept, which documents that there are can't be made to follow. */
const FIXED_MEMBERS = [
  "type",
  "multi",
  "precision",
  "hierarchical",
] as const satisfies readonly (keyof FieldDefinition)[];

/**
 * The fields of an index after a change: new ones behind those that there are, and of these what can be made of kept
 * values, `stored`, `fast` and `indexed`, and how values to come are read.
 *
 * @throws FindlingError `invalid_schema` naming the field that can't be changed so
 */
export function changedFields(
  fields: IndexSchema["fields"],
  drafts: Readonly<Record<string, FieldPatchDraft>>,
): IndexSchema["fields"] {
  const changed: Record<string, FieldDraft> = {};
  for (const [name, draft] of Object.entries(drafts)) {
    const current = Object.hasOwn(fields, name) ? fields[name] : undefined;
    changed[name] = { ...(current ?? { type: requireType(name, draft) }), ...draft };
  }
  const completed = completeFields(changed);
  for (const [name, definition] of Object.entries(completed)) {
    const current = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (current !== undefined) requireKeptValues(name, current, definition);
  }
  const all = { ...fields, ...completed };
  requireApart(Object.keys(all));
  const count = Object.keys(all).length;
  if (count > Math.max(FIELDS_MAX, Object.keys(fields).length)) {
    throw invalidSchema(
      "fields",
      `the index would have ${count} fields, at most ${FIELDS_MAX} are allowed; keep what nobody searches in one field of type json`,
    );
  }
  return all;
}

function requireType(name: string, { type }: FieldPatchDraft): FieldDraft["type"] {
  if (type !== undefined) return type;
  const path = `fields.${name}.type`;
  throw invalidSchema(path, `'${path}' is required: '${name}' is a new field`);
}

/** The way to what can't be changed in place: by the command line, and by the API alone. */
const FILL_ANOTHER =
  "fill a new index: 'findling reindex OLD --into NEW --schema FILE' copies the documents; over the API POST /index makes it, POST /index/NEW/documents fills it, and PUT /alias/NAME lets one name stand for it";

function requireKeptValues(name: string, current: FieldDefinition, wanted: FieldDefinition): void {
  for (const member of FIXED_MEMBERS) {
    if (current[member] === wanted[member]) continue;
    const path = `fields.${name}.${member}`;
    const kept = JSON.stringify(current[member] ?? true);
    throw invalidSchema(
      path,
      `'${path}' stays ${kept}, as the values of '${name}' that documents have can't be made others; add a field of another name, or ${FILL_ANOTHER}`,
    );
  }
  if (wanted.required && !current.required) {
    const path = `fields.${name}.required`;
    throw invalidSchema(
      path,
      `'${path}' stays false, as documents may have no value; to require one, ${FILL_ANOTHER}`,
    );
  }
}

/**
 * No document has a value of a field that is new, so that it can only be required where there are no documents, neither
 * committed nor pending.
 *
 * @param storageId of the index before the change
 * @throws FindlingError `invalid_schema` naming some that stand in the way
 */
export async function requireNoneLacks(
  backend: SearchBackend,
  storageId: StorageId,
  before: IndexSchema,
  after: IndexSchema,
): Promise<void> {
  const added = Object.entries(after.fields).find(
    ([name, { required }]) => required && fieldDefinition(before, name) === undefined,
  );
  if (added === undefined) return;
  const [name] = added;
  const { lacking, lackingCount } = await backend.keyConflicts(storageId, name);
  if (lackingCount === 0) return;
  const path = `fields.${name}.required`;
  throw invalidSchema(
    path,
    `'${path}' can't be true, as documents have no value: ${listOf(lacking, lackingCount)}; add the field without it, or delete them first`,
  );
}
