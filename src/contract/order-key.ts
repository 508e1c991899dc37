import { invalidMember } from "./invalid-member.js";
import { asWireObject, describeKind, memberOf } from "./wire-object.js";

/** What hits are ordered by: a field's value, or their relevance. */
export type OrderKey =
  | { readonly kind: "field"; readonly field: string; readonly descending: boolean }
  | { readonly kind: "score"; readonly descending: boolean };

type Direction = "asc" | "desc";

export const ORDER_KEYS_MAX = 8;

/** Stands for relevance in a list. A field of that name can be ordered by in the form without a list. */
const SCORE = "_score";

const FIELD_AND_DIRECTION = /^(.+):(asc|desc)$/s;

/** A field with a direction behind it, as in `price:asc`; null if there is none. */
export function parseDirectedField(
  text: string,
): { readonly field: string; readonly direction: Direction } | null {
  const match = FIELD_AND_DIRECTION.exec(text);
  return match === null ? null : { field: match[1]!, direction: match[2] === "asc" ? "asc" : "desc" };
}

/** Whether a name means more than a field where it stands in a list: a direction, or relevance. */
export function isListEntry(name: string): boolean {
  return name === SCORE || parseDirectedField(name) !== null;
}

/**
 * The extension's form of `order_by`: a list of `price`, `price:asc` or `{"field": "price", "sort": "asc"}`.
 *
 * @param standard of entries that say nothing of their direction
 * @throws FindlingError `invalid_request`
 */
export function parseOrderKeys(values: readonly unknown[], standard: Direction): readonly OrderKey[] {
  if (values.length > ORDER_KEYS_MAX) {
    throw invalidMember("order_by", `names ${values.length} fields, at most ${ORDER_KEYS_MAX} are allowed`);
  }
  return values.map((value, i) => parseOrderKey(value, standard, `order_by[${i}]`));
}

function parseOrderKey(value: unknown, standard: Direction, place: string): OrderKey {
  if (typeof value === "string") {
    const { field, direction } = parseDirectedField(value) ?? { field: value, direction: standard };
    return orderKey(field, direction);
  }
  const object = asWireObject(value);
  if (object === undefined) {
    throw invalidMember(place, `must be a field's name or an object, not ${describeKind(value)}`);
  }
  const field = memberOf(object, "field");
  if (typeof field !== "string") {
    const found = field === undefined ? "is missing" : `must be a field's name, not ${describeKind(field)}`;
    throw invalidMember(`${place}.field`, found);
  }
  const sort = memberOf(object, "sort") ?? standard;
  if (sort === "asc" || sort === "desc") return orderKey(field, sort);
  throw invalidMember(`${place}.sort`, "must be asc or desc");
}

function orderKey(field: string, direction: Direction): OrderKey {
  const descending = direction === "desc";
  return field === SCORE ? { kind: "score", descending } : { kind: "field", field, descending };
}
