import type { Searcher } from "../search/searcher.js";

/** A snapshot that stays as it is, with its files open, until it is let go of. */
export interface HeldSearcher {
  readonly searcher: Searcher;
  /** To be called once the searcher is used no longer; calling it again does nothing. */
  release(): void;
}
