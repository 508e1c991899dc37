/**
 * A value in its canonical form, one per field kind:
 *`text`, `keyword`, `label`, `facet` (with leading slash): string; `bool`: boolean; `f64`: finite number;
 * `u64`, `i64`: integer number within ±(2^53−1), else bigint or decimal string; `datetime`: RFC 3339 in UTC
 * with `Z`, fraction only where not zero, at most at the field's precision; `opaque`: JSON of every kind, with bigints.
 */
export type CanonicalValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly CanonicalValue[]
  | { readonly [key: string]: CanonicalValue };

/**
 * Field name to canonical value; an array exactly where the field is `multi` (never empty).
 * Absent values are absent members. Members are in schema order.
 */
export type CanonicalDocument = Readonly<Record<string, CanonicalValue>>;

/** 32 lower-case hex digits, unique in the index; the wire's `_id`. */
export type DocumentId = string;

/** A document's number inside one segment, from 0 to `maxDoc - 1`. Never leaves the engine. */
export type DocId = number;

/** Greater than every doc id. */
export const NO_MORE_DOCS: DocId = 0x7fff_ffff;
