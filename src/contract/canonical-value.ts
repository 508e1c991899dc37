/**
 * A document value after the rules of contract 4.3, one form per field type:
 * text, facet (leading slash, no trailing one): string; bool: boolean; f64: finite number;
 * u64, i64: integer number within ±(2^53−1), beyond it a bigint or a decimal string, as it was sent; datetime: RFC 3339 in UTC
 * with `Z`, fraction only where not zero and at most at the field's precision; bytes: base64 string;
 * json: JSON of every kind, whose integers beyond ±(2^53−1) are bigints.
 */
export type CanonicalValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly CanonicalValue[]
  | { readonly [key: string]: CanonicalValue };

/** Field name to value, arrays exactly where the field is `multi`; members in schema order, absent ones left out. */
export type CanonicalDocument = Readonly<Record<string, CanonicalValue>>;
