import { fieldDefinition, type IndexSchema } from "../../contract/index-schema.js";
import { FindlingError } from "../../errors/index.js";
import { canonicalValue, ValueProblem } from "../../intake/canonical-value.js";
import type { QueryAst } from "../../query/query-ast.js";

/** By schema: making them anew for each request would cost as much as the index has fields. */
const FIELDS = new WeakMap<IndexSchema, IndexSchema["fields"]>();

/** The fields that documents are checked against: the primary key is required and not empty, whatever its definition says. */
export function intakeFields(schema: IndexSchema): IndexSchema["fields"] {
  const { fields, primary_key: key } = schema;
  const definition = key === undefined ? undefined : fieldDefinition(schema, key);
  if (key === undefined || definition === undefined) return fields;
  const known = FIELDS.get(schema);
  if (known !== undefined) return known;
  const required = Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      name === key ? { ...field, required: true, filled: true as const } : field,
    ]),
  );
  FIELDS.set(schema, required);
  return required;
}

/**
 * The query for the document with a primary key.
 *
 * @param text the value as it is in a path
 * @throws FindlingError `invalid_request` if the index has no primary key, `invalid_field_value`
 */
export function keyAst(schema: IndexSchema, text: string): QueryAst {
  const { name, primary_key: key } = schema;
  const definition = key === undefined ? undefined : fieldDefinition(schema, key);
  if (key === undefined || definition === undefined) {
    throw new FindlingError(
      "invalid_request",
      `index '${name}' has no primary key; PATCH /index/${name}/settings sets 'primary_key'`,
    );
  }
  const value = canonicalValue(definition, text);
  if (value instanceof ValueProblem || value === undefined) {
    const problem = value === undefined ? "has no value" : value.message;
    throw new FindlingError("invalid_field_value", `the key '${key}' ${problem}`);
  }
  return { kind: "value_set", field: key, values: [value] };
}
