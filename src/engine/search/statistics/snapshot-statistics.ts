import type { WordPattern, WordRow } from "../query.js";
import { NO_INTERRUPT, type SearchInterrupt } from "../search-interrupt.js";
import { type CollectionStatistics, type Followers, NO_VARIANT } from "../search-types.js";
import { rowOccurs } from "./row-occurs.js";
import type { SegmentStatistics } from "./segment-statistics.js";

/** The statistics of several segments together: the same however documents are spread over them. */
export class SnapshotStatistics implements CollectionStatistics {
  readonly #segments: readonly SegmentStatistics[];
  readonly #fields: Map<string, { readonly docCount: number; readonly tokenCount: number }> = new Map();

  constructor(segments: readonly SegmentStatistics[]) {
    this.#segments = segments;
  }

  fieldStatistics(field: string): { readonly docCount: number; readonly tokenCount: number } {
    const known = this.#fields.get(field);
    if (known !== undefined) return known;
    let docCount = 0;
    let tokenCount = 0;
    for (const { segment } of this.#segments) {
      const terms = segment.terms(field);
      docCount += terms?.liveDocCount ?? 0;
      tokenCount += terms?.liveTokenCount ?? 0;
    }
    const statistics = { docCount, tokenCount };
    // Any name may be asked for, but only the schema's fields are worth remembering.
    if (docCount > 0) this.#fields.set(field, statistics);
    return statistics;
  }

  docFreq(field: string, term: string): number {
    let docFreq = 0;
    for (let segment = 0; segment < this.#segments.length; segment++) {
      const statistics = this.#segments[segment]!;
      const found = statistics.term(field, term);
      if (found !== null) docFreq += statistics.liveDocFreq(field, found);
    }
    return docFreq;
  }

  variantDistance(field: string, word: WordPattern, interrupt: SearchInterrupt = NO_INTERRUPT): number {
    let nearest = NO_VARIANT;
    for (const statistics of this.#segments) {
      const expansion = statistics.expansion(field, word, interrupt);
      if (expansion === null) continue;
      const { ordinals, distances } = expansion;
      for (let i = 0; i < ordinals.length && nearest > 0; i++) {
        if (distances[i]! >= nearest) continue;
        // It may take a walk through postings, where documents are deleted.
        interrupt.check();
        if (statistics.occurs(field, ordinals[i]!)) nearest = distances[i]!;
      }
    }
    return nearest;
  }

  followerDocFreqs(
    field: string,
    followers: Followers,
    interrupt: SearchInterrupt = NO_INTERRUPT,
  ): ReadonlyMap<string, number> {
    const sums = new Map<string, number>();
    for (const statistics of this.#segments)
      statistics.addFollowerDocFreqs(field, followers, sums, interrupt);
    return sums;
  }

  rowOccurs(field: string, row: WordRow, interrupt: SearchInterrupt = NO_INTERRUPT): boolean {
    return this.#segments.some(({ segment }) => rowOccurs(segment, field, row, interrupt));
  }

  variantDocFreq(
    field: string,
    word: WordPattern,
    distance: number,
    interrupt: SearchInterrupt = NO_INTERRUPT,
  ): number {
    let docFreq = 0;
    for (const statistics of this.#segments) {
      const expansion = statistics.expansion(field, word, interrupt);
      if (expansion === null) continue;
      if (word.begun !== undefined) {
        docFreq += statistics.variantDocCount(field, word, distance, interrupt);
        continue;
      }
      const { ordinals, distances } = expansion;
      for (let i = 0; i < ordinals.length; i++) {
        if (distances[i] !== distance) continue;
        interrupt.check();
        docFreq += statistics.docFreq(field, ordinals[i]!);
      }
    }
    return docFreq;
  }
}
