/**
 * Where analysis hands over words while indexing: as bytes with their hash, because a string per word
 * costs more than all that an indexer does with it. Words are tokens before folding and stemming, which
 * look at each word alone, so that the indexer asks once per distinct word (`Analyzer.termOf`).
 */
export interface WordSink {
  /** Odd; what `asciiWord` hashes with. */
  readonly hashFactor: number;
  /** Scratch of `WORD_BYTES` bytes that `asciiWord` takes its words from. */
  readonly wordBytes: Uint8Array;
  /**
   * A word of ASCII digits and small letters, the first `length` of `wordBytes`.
   *
   * @param hash from 0, per byte: exclusive or, then times `hashFactor` modulo 2^32
   * @param position ordinal of the word in the value, as in `TokenSink`
   */
  asciiWord(length: number, hash: number, position: number): void;
  /** Any word, those of ASCII included. */
  word(word: string, position: number): void;
}

/** Length of a sink's scratch, a power of two above the longest token. */
export const WORD_BYTES = 256;
