/** What a merge policy looks at; in insertion order. */
export interface MergeCandidate {
  /** Bytes on disk, prorated to live documents. */
  readonly liveBytes: number;
  /** What it takes in memory, prorated to live documents. */
  readonly imageBytes: number;
  readonly maxDoc: number;
  readonly deletedCount: number;
}

/** Above all tiers. */
const FULL_GROWN = Number.POSITIVE_INFINITY;

/** Segments `start` to `end - 1` to merge into one. */
export interface MergeRange {
  readonly start: number;
  readonly end: number;
}

/** Which segments to merge. Ranges are contiguous, so that doc ids keep the order of insertion. */
export interface MergePolicy {
  /**
   * The next merge worth doing, or null.
   *
   * @param imageBytesMax what the merged segment may take in memory while others are written, if the policy cares
   */
  nextMerge(segments: readonly MergeCandidate[], imageBytesMax: number): MergeRange | null;
}

export interface TieredMergePolicyOptions {
  /** Segments of one tier that are merged together; at least 2. */
  readonly segmentsPerTier: number;
  /**
   * Segments merged together where together they are smaller than `floorBytes`; at least as many. When few documents are
   * merged, nearly all is fixed costs, and a search hardly notices a segment that hasn't got its words.
   */
  readonly segmentsBelowFloor: number;
  /** Segments smaller than this count as this large, so that tiny ones share one tier. */
  readonly floorBytes: number;
  /** No merge makes a segment larger than this. */
  readonly maxMergedBytes: number;
  /** A segment with a larger share of deleted documents is rewritten alone. */
  readonly maxDeletedShare: number;
}

/**
 * Merges neighbours of like size: a document is rewritten about log_k(n) times, and about
 * k · log_k(n) segments remain, with k segments per tier.
 *
 * Sizes are taken as tiers, floor(log_k(bytes / floor)). Walking back from the newest segment, the
 * longest run of segments whose tier is at most t is merged once it holds k segments, unless one of
 * them outweighs the others; a small segment caught between larger ones counts with them, so nothing is
 * left behind. (O'Neil et al.,
 * "The Log-Structured Merge-Tree", Acta Informatica 33, 1996; the contiguous form is Lucene's
 * LogMergePolicy.)
 */
export class TieredMergePolicy implements MergePolicy {
  readonly #options: TieredMergePolicyOptions;

  constructor(options: Partial<TieredMergePolicyOptions> = {}) {
    this.#options = {
      segmentsPerTier: 8,
      segmentsBelowFloor: options.segmentsPerTier ?? 16,
      floorBytes: 1 << 20,
      maxMergedBytes: 1 << 30,
      maxDeletedShare: 0.3,
      ...options,
    };
    const { segmentsPerTier, segmentsBelowFloor } = this.#options;
    if (segmentsPerTier < 2) throw new RangeError(`a tier needs at least 2 segments, got ${segmentsPerTier}`);
    if (segmentsBelowFloor < segmentsPerTier)
      throw new RangeError(`${segmentsBelowFloor} segments below the floor are fewer than a tier has`);
  }

  nextMerge(
    segments: readonly MergeCandidate[],
    imageBytesMax: number = Number.POSITIVE_INFINITY,
  ): MergeRange | null {
    return this.#likeNeighbours(segments, imageBytesMax) ?? this.#mostlyDeleted(segments);
  }

  #likeNeighbours(segments: readonly MergeCandidate[], imageBytesMax: number): MergeRange | null {
    // One that two of its like wouldn't fit with is left as it is, and separates those beside it.
    const tiers = segments.map(({ liveBytes, imageBytes }) =>
      imageBytes * 2 > imageBytesMax ? FULL_GROWN : this.#tier(liveBytes),
    );
    const highest = Math.max(0, ...tiers.filter((tier) => tier < FULL_GROWN));
    for (let tier = 0; tier <= highest; tier++) {
      let end = segments.length;
      while (end > 0) {
        let start = end;
        while (start > 0 && tiers[start - 1]! <= tier) start--;
        const run = this.#worthwhile({ start, end }, segments);
        const range = run === null ? null : this.#within(run, segments, imageBytesMax);
        if (range !== null) return range;
        end = Math.min(start, end - 1);
      }
    }
    return null;
  }

  /**
   * The first part of a run that holds a tier's worth of segments and isn't one large segment rewritten for
   * the sake of little: its largest is no larger than the others together, or a little larger where they
   * are many. Otherwise a large segment would be rewritten for every few commits of one document.
   */
  #worthwhile(run: MergeRange, segments: readonly MergeCandidate[]): MergeRange | null {
    const { segmentsPerTier, segmentsBelowFloor, floorBytes } = this.#options;
    for (let start = run.start; start + segmentsPerTier <= run.end; start++) {
      let [bytes, largest] = [0, 0];
      for (let end = start; end < run.end; end++) {
        const { liveBytes } = segments[end]!;
        bytes += liveBytes;
        largest = Math.max(largest, liveBytes);
        const count = end + 1 - start;
        const countMin = bytes < floorBytes ? segmentsBelowFloor : segmentsPerTier;
        if (count >= countMin && largest * countMin <= (bytes - largest) * count)
          return { start, end: end + 1 };
      }
    }
    return null;
  }

  /** The range cut from the right until it fits the size limits; null if fewer than two segments remain. */
  #within(range: MergeRange, segments: readonly MergeCandidate[], imageBytesMax: number): MergeRange | null {
    let bytes = 0;
    let imageBytes = 0;
    let end = range.start;
    for (; end < range.end; end++) {
      bytes += segments[end]!.liveBytes;
      imageBytes += segments[end]!.imageBytes;
      if (bytes > this.#options.maxMergedBytes || imageBytes > imageBytesMax) break;
    }
    return end - range.start >= 2 ? { start: range.start, end } : null;
  }

  #mostlyDeleted(segments: readonly MergeCandidate[]): MergeRange | null {
    const start = segments.findIndex(
      (segment) => segment.deletedCount > segment.maxDoc * this.#options.maxDeletedShare,
    );
    return start < 0 ? null : { start, end: start + 1 };
  }

  #tier(bytes: number): number {
    const { floorBytes, segmentsPerTier } = this.#options;
    return bytes <= floorBytes ? 0 : Math.floor(Math.log(bytes / floorBytes) / Math.log(segmentsPerTier)) + 1;
  }
}
