import type { CanonicalDocument, CanonicalValue } from "../contract/canonical-value.js";

/** What is to become of one document. Plain data, for any thread. */
export interface DocumentChange {
  /** Which one: by its id, or by its value of the field that is the primary key. */
  readonly target: { readonly id: string } | { readonly key: CanonicalValue };
  /** Values that it gets, in canonical form; arrays as a whole. */
  readonly set: CanonicalDocument;
  /** Fields whose values it loses. */
  readonly removed: readonly string[];
  /** The `documentVersion` that it must have, as committed or pending writes have left it. */
  readonly version?: string;
  /** Whether these values make a document of their own, which may be added where there is none. */
  readonly isWhole: boolean;
}

export interface ChangeOptions {
  /** The primary key, if the index has one: no change gives a document another one. */
  readonly key?: string | undefined;
  /** Whether what is named by its key and isn't there is added. */
  readonly upsert: boolean;
}

/** What came of changes: all were made, or none was, by the places of those in the way. */
export type DocumentsChanged =
  | {
      readonly kind: "changed";
      /** By change, in order; those of documents that were there are as they were. */
      readonly ids: readonly string[];
      /** How many documents are new. */
      readonly added: number;
    }
  | {
      readonly kind: "refused";
      readonly missing: readonly number[];
      /** The document has another version. */
      readonly conflicting: readonly number[];
      /** It isn't there, and couldn't be added. */
      readonly incomplete: readonly number[];
      /** It would get another key. */
      readonly rekeyed: readonly number[];
    };
