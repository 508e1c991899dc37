/**
 * Where the members of a `PostingList` (`assembly/posting-list.ts`) are that TypeScript writes, in words of 4 bytes from
 * the list on; each says there what it is.
 */
export const DOC_FREQ = 0;
export const FIRST_BLOCK = 1;
export const END_BLOCK = 2;
export const HAS_EXACT_IMPACTS = 3;
export const WEIGHT = 4;
export const BOUND_UNIT = 5;
export const LAST_DOCS = 6;
export const DATA_OFFSETS = 7;
export const DOC_BITS = 8;
export const FREQ_BITS = 9;
export const BOUNDS = 10;
export const IMPACTS = 11;
export const DATA = 12;
export const NORMS = 13;
export const LENGTH_NORMS = 14;
export const DENSE_BITS = 15;
export const DENSE_RANKS = 16;
export const DOCS = 17;
export const FREQS = 18;
export const SCORES = 19;
export const POSITION_OFFSETS = 20;
export const POSITION_WIDTHS = 21;
export const POSITION_DATA = 22;
export const POSITION_GROUPS = 23;
export const SHORTNESS = 24;
export const FLOOR_UNIT = 25;
export const FLOOR_BASE = 26;
export const BOUND_BASE = 27;
export const IDF = 28;
export const ALL_SCORES = 30;
export const POSITION_SUMS = 31;
