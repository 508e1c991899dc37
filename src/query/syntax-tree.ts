/**
 * A query string as it was written, before any schema: what `parseQueryString` gives and
 * `compileExact` reads. Positions count code points of the query string from 1.
 */
export type QuerySyntaxTree = SyntaxList;

export type SyntaxNode =
  | SyntaxList
  | { readonly kind: "and"; readonly operands: readonly SyntaxNode[] }
  /** `-x` and `NOT x`. */
  | { readonly kind: "not"; readonly operand: SyntaxNode }
  /** `+x`. */
  | { readonly kind: "required"; readonly operand: SyntaxNode }
  | { readonly kind: "boost"; readonly operand: SyntaxNode; readonly factor: number }
  /** Parentheses; the field applies to the unfielded parts inside. */
  | { readonly kind: "group"; readonly field: SyntaxField | null; readonly list: SyntaxList }
  /** `*` and `field:*`. */
  | { readonly kind: "star"; readonly field: SyntaxField | null }
  | { readonly kind: "phrase"; readonly field: SyntaxField | null; readonly phrase: SyntaxText }
  /** A run of bare words, one of which is enough. */
  | { readonly kind: "words"; readonly field: SyntaxField | null; readonly words: readonly SyntaxText[] }
  | { readonly kind: "set"; readonly field: SyntaxField; readonly items: readonly SyntaxText[] }
  /** Ranges and comparisons; null is an open end. */
  | {
      readonly kind: "range";
      readonly field: SyntaxField;
      readonly lower: SyntaxBound | null;
      readonly upper: SyntaxBound | null;
    };

/** Juxtaposed parts and parts joined by OR, in order. Only the whole query string's list may be empty. */
export interface SyntaxList {
  readonly kind: "list";
  readonly items: readonly SyntaxListItem[];
}

export interface SyntaxListItem {
  /** Whether the word OR stands before the item; false for the first. */
  readonly followsOr: boolean;
  readonly node: SyntaxNode;
}

export interface SyntaxField {
  readonly name: string;
  readonly position: number;
}

/** A word, phrase, set item or bound without its quotes and escapes. */
export interface SyntaxText {
  readonly text: string;
  readonly position: number;
  readonly isQuoted: boolean;
  /** `"…"~n`: extra positions that a phrase may take; 0 for words. */
  readonly slop: number;
  /** A trailing `*`: the text, or a phrase's last word, is a prefix. */
  readonly isPrefix: boolean;
}

export interface SyntaxBound {
  readonly value: SyntaxText;
  readonly inclusive: boolean;
}
