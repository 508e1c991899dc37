/** A part of a page of the manual that a search has found. */
export interface ManualHit {
  /** Where the passage stands, such as `/docs/facets#counts`. */
  readonly address: string;
  readonly page: string;
  /** Empty for a page's beginning. */
  readonly heading: string;
  /** HTML: what matched in `<mark>`, all else escaped; may be empty. */
  readonly fragment: string;
}

/** Finds what people look for in the manual. */
export interface ManualSearch {
  /** @param isBeingTyped whether the last word may go on */
  search(text: string, isBeingTyped: boolean): Promise<readonly ManualHit[]>;
  close(): Promise<void>;
}
