import type { DocumentId, Explanation, FacetNode } from "../engine/server-door.js";

/** A document as a program writes it: by field a value, or several in a list. Dates and big integers will do, too. */
export type TextDocument = Readonly<Record<string, unknown>>;

export interface TextHit {
  readonly documentId: DocumentId;
  readonly score: number;
  /** The stored fields, or those that were asked for. */
  readonly document: Readonly<Record<string, unknown>>;
  /** With `highlight`: by field the fragments with what matched. */
  readonly highlights?: Readonly<Record<string, readonly string[]>>;
  /** With `explain`. */
  readonly explanation?: Explanation;
}

export interface TextSearchResult {
  /** Documents that match, all pages together. */
  readonly count: number;
  readonly hits: readonly TextHit[];
  /** By facet field that was asked for. */
  readonly facets: Readonly<Record<string, readonly FacetNode[]>>;
}

export interface Suggestions {
  /** The text with its last word completed or corrected. */
  readonly completions: readonly string[];
  /** Documents that the text may be about, the best first. */
  readonly titles: readonly { readonly text: string; readonly documentId: DocumentId }[];
}
