/**
 * Text that comes in pieces, on its way out. What goes out depends on the whole text alone, not on how it was
 * cut into pieces, and what is held back meanwhile is bounded.
 */
export interface TextFilter {
  /** What may go out now. */
  push(text: string): string;
  /** The rest, once nothing more will come. */
  end(): string;
}
