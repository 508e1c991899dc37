import type { CanonicalValue } from "../contract/canonical-value.js";

/**
 * Which documents are meant by what they keep of a field that has no index: one of some canonical values,
 * or text that holds one of some phrases, stopwords included.
 */
export type KeptValueMatch =
  | { readonly kind: "values"; readonly values: readonly CanonicalValue[] }
  | {
      readonly kind: "phrases";
      readonly phrases: readonly (readonly { readonly term: string; readonly position: number }[])[];
    };
