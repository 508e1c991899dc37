import type { SegmentStatistics } from "../statistics/segment-statistics.js";

/** What was found out for each segment of a snapshot, which are few. */
export class BySegment<T> {
  readonly #segments: SegmentStatistics[] = [];
  readonly #values: T[] = [];

  /** Undefined until it was added. */
  find(segment: SegmentStatistics): T | undefined {
    const segments = this.#segments;
    for (let i = 0; i < segments.length; i++) if (segments[i] === segment) return this.#values[i];
    return undefined;
  }

  /** @param segment for which nothing is known */
  add(segment: SegmentStatistics, value: T): T {
    this.#segments.push(segment);
    this.#values.push(value);
    return value;
  }
}
