import type { FieldDefinition } from "../../contract/index-schema.js";

/** Definitions with what they leave out, as far as it matters to values. */
export function completedFields(
  fields: Readonly<Record<string, FieldDefinition>>,
): Readonly<Record<string, FieldDefinition>> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      { ...{ required: false, stored: true, indexed: true, multi: false }, ...field },
    ]),
  );
}
