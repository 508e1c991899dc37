import type { MergeCandidate, MergePolicy, MergeRange } from "./merge-policy.js";

/** No merge makes a segment larger than this. */
const MERGED_BYTES_MAX = 1 << 28;
/** What the smaller segments of a merge hold together at least, in parts of the largest. */
const SHARE_OF_LARGEST_MIN = 0.5;
/** A segment with a larger share of deleted documents is rewritten alone. */
const DELETED_SHARE_MAX = 0.08;

/**
 * For an index that rests: a search costs so much for each segment that few are worth a rewrite that nobody
 * waits for. Merges the longest run of neighbours of which the smaller ones are not too little beside the
 * largest: each merge makes the largest segment grow by a share at least, so a document is rewritten
 * log(n) / log(1 + share) times at most, however often an index comes to rest.
 */
export class SettlingMergePolicy implements MergePolicy {
  nextMerge(segments: readonly MergeCandidate[]): MergeRange | null {
    return this.#longestRun(segments) ?? this.#withDeletes(segments);
  }

  #longestRun(segments: readonly MergeCandidate[]): MergeRange | null {
    let longest: MergeRange | null = null;
    // From the newest on, which tend to be the smallest.
    for (let end = segments.length; end > 1; end--) {
      let sum = 0;
      let largest = 0;
      for (let start = end - 1; start >= 0; start--) {
        const { liveBytes } = segments[start]!;
        sum += liveBytes;
        largest = Math.max(largest, liveBytes);
        if (sum > MERGED_BYTES_MAX) break;
        const length = end - start;
        if (length < 2 || length <= (longest === null ? 0 : longest.end - longest.start)) continue;
        if (sum - largest >= SHARE_OF_LARGEST_MIN * largest) longest = { start, end };
      }
    }
    return longest;
  }

  #withDeletes(segments: readonly MergeCandidate[]): MergeRange | null {
    const start = segments.findIndex(
      ({ deletedCount, maxDoc, liveBytes }) =>
        deletedCount > maxDoc * DELETED_SHARE_MAX && liveBytes <= MERGED_BYTES_MAX,
    );
    return start < 0 ? null : { start, end: start + 1 };
  }
}
