/**
 * A document value after the rules of contract 4.3, one form per field type:
 * text, facet (leading slash, no trailing one): string; bool: boolean; f64: finite number;
 * u64, i64: integer number within ±(2^53−1), beyond it a decimal string; datetime: RFC 3339 in UTC
 * with `Z`, fraction only where not zero and at most at the field's precision; bytes: base64 string;
 * json: JSON of every kind.
 */
export type CanonicalValue =
  | string
  | number
  | boolean
  | null
  | readonly CanonicalValue[]
  | { readonly [key: string]: CanonicalValue };

/** Field name to value, arrays exactly where the field is `multi`; members in schema order, absent ones left out. */
export type CanonicalDocument = Readonly<Record<string, CanonicalValue>>;
