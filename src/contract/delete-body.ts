import { FindlingError } from "../errors/index.js";
import { requireObject } from "./invalid-member.js";
import { describeKind, withoutNulls } from "./wire-object.js";

export type Scalar = string | number | bigint | boolean;

/** A field and the values of which any may match. */
export interface FieldDelete {
  readonly field: string;
  readonly values: readonly Scalar[];
}

/**
 * The body of `DELETE …/documents`: exactly one field with a scalar or an array of scalars.
 *
 * @throws FindlingError `invalid_request`
 */
export function parseDeleteByFieldBody(body: unknown): FieldDelete {
  const object = requireObject(body);
  const members = Object.entries(withoutNulls(object));
  const [member] = members;
  if (member === undefined || members.length > 1) {
    throw new FindlingError(
      "invalid_request",
      `the body must name exactly one field with its value, it names ${members.length}`,
    );
  }
  const [field, value] = member;
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return { field, values: values.map((element, i) => requireScalar(element, i, field)) };
}

function requireScalar(value: unknown, position: number, field: string): Scalar {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (typeof value === "bigint") return value;
  const message = `'${field}' must be a string, number, true or false, or an array of those, not ${describeKind(value)}`;
  throw new FindlingError("invalid_request", message, {
    items: [{ path: `${field}[${position}]`, message }],
  });
}
