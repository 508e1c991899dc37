/** What one thread's kernels need besides a segment's image, laid out once for each segment. */

/** Matches that are listed for facets; more stay bits. */
export const LISTED_MAX = 2048;
/** Lists in one search: a short misspelt word alone can have more than a hundred nearest variants. */
export const LISTS_MAX = 256;
/** Fields with lists in one search. */
export const FIELDS_MAX = 16;
/** Hits in one search. */
export const HITS_MAX = 1024;
/** Tokens of one phrase. */
export const PHRASE_TOKENS_MAX = 64;
/** Bytes of a `PhraseToken` (`assembly/phrase.ts`). */
export const PHRASE_TOKEN_BYTES = 32;
/** Terms whose documents are united at a time, and bytes of each (`assembly/variants.ts`). */
export const UNITED_TERMS_MAX = 256;
export const UNITED_TERM_BYTES = 16;
/** Bitsets over all documents. */
export const BITSETS = 8;

/** Bytes of a `PostingList` (`assembly/posting-list.ts`). */
export const LIST_BYTES = 256;
/** Doc ids of a group that has a rank of its own; bitsets are whole groups. */
const GROUP_DOCS = 512;
/** Values that a block's buffers have room for: 128, and four that vector code writes behind them. */
export const BLOCK_VALUES = 144;
/** Block metadata of a short list: one entry of each kind, and what vector loads reach behind it. */
export const SHORT_METADATA_BYTES = 64;

export interface ScratchLayout {
  readonly bytes: number;
  /** What kernels alone use, and lay out themselves. */
  readonly own: number;
  readonly lists: number;
  readonly groups: number;
  readonly order: number;
  readonly hitScores: number;
  readonly hitDocs: number;
  /** By list, `blockBytes` each: doc ids, frequencies, scores and sums, `BLOCK_VALUES` values each. */
  readonly blocks: number;
  readonly blockBytes: number;
  readonly blockValueBytes: number;
  readonly shortMetadata: number;
  readonly lengthNorms: number;
  readonly unitedTerms: number;
  /** A list that is none of a search's, and its buffers. */
  readonly walker: number;
  readonly walkerBlock: number;
  readonly phraseTokens: number;
  readonly phrasePlaces: number;
  /** Listed matches. */
  readonly listed: number;
  readonly bitsets: number;
  readonly bitsetBytes: number;
}

/** Bytes of a bitset over so many documents. */
export function bitsetBytesOf(maxDoc: number): number {
  return Math.ceil(maxDoc / GROUP_DOCS) * (GROUP_DOCS / 8);
}

/** Addresses of everything, from `start`, a multiple of 64. @param ownBytes that kernels alone use */
export function scratchLayout(start: number, maxDoc: number, ownBytes: number): ScratchLayout {
  let at = start;
  const take = (bytes: number): number => {
    const address = at;
    at += Math.ceil(bytes / 64) * 64;
    return address;
  };
  const blockValueBytes = BLOCK_VALUES * 4;
  const blockBytes = 4 * blockValueBytes;
  const bitsetBytes = bitsetBytesOf(maxDoc);
  const layout = {
    lists: take(LISTS_MAX * LIST_BYTES),
    groups: take(LISTS_MAX * 4),
    order: take(LISTS_MAX * 4),
    hitScores: take(HITS_MAX * 4),
    hitDocs: take(HITS_MAX * 4),
    blocks: take(LISTS_MAX * blockBytes),
    blockBytes,
    blockValueBytes,
    shortMetadata: take(LISTS_MAX * SHORT_METADATA_BYTES),
    lengthNorms: take(FIELDS_MAX * 1024),
    unitedTerms: take(UNITED_TERMS_MAX * UNITED_TERM_BYTES),
    walker: take(LIST_BYTES),
    walkerBlock: take(blockBytes),
    phraseTokens: take(PHRASE_TOKENS_MAX * PHRASE_TOKEN_BYTES),
    phrasePlaces: take(LISTS_MAX * 8),
    listed: take(LISTED_MAX * 4),
    bitsets: take(BITSETS * bitsetBytes),
    bitsetBytes,
    own: take(ownBytes),
  };
  return { ...layout, bytes: at - start };
}
