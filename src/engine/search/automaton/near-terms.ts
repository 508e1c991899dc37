import { BandedDistance } from "../../../analysis/banded-distance.js";
import type { FieldTerms, TermTrie } from "../../segment/segment-reader.js";
import { type SearchInterrupt, STEPS_PER_CHECK } from "../search-interrupt.js";
import { decodeCodePoints, TERM_CODE_POINTS_MAX } from "./code-points.js";

const LEAF = 0x8000_0000;

/** The terms of one segment and field within a distance of a word, or with a beginning that is. */
export interface TermExpansion {
  /** Ascending. */
  readonly ordinals: Uint32Array;
  /** Optimal string alignment distance of each. */
  readonly distances: Uint8Array;
}

/** Terms that begin like a word, by their nearest beginnings. */
export interface BegunExpansion extends TermExpansion {
  /** Each has 1 if all of the term isn't as near as its nearest beginning, else 0. */
  readonly areBegun: Uint8Array;
}

export interface NearPattern {
  /** In code points. */
  readonly pattern: Uint32Array;
  readonly maxDistance: number;
  /** Whether the nearest beginning of a term counts, and not the whole of it. */
  readonly ofBeginnings: boolean;
  /** See `BandedDistance`. */
  readonly lastMeant?: number;
}

/** Finds the terms near a pattern of any length, by rows of the dynamic programme. Used for one call. */
export class NearTerms {
  readonly #terms: FieldTerms;
  readonly #near: NearPattern;
  readonly #interrupt: SearchInterrupt;
  readonly #rows: BandedDistance;
  readonly #codePoints: Uint32Array = new Uint32Array(TERM_CODE_POINTS_MAX);
  /** In the order in which terms are come upon, which is ascending. */
  readonly #ordinals: number[] = [];
  readonly #distances: number[] = [];

  constructor(terms: FieldTerms, near: NearPattern, interrupt: SearchInterrupt) {
    const { pattern, maxDistance, lastMeant } = near;
    this.#terms = terms;
    this.#near = near;
    this.#interrupt = interrupt;
    this.#rows = new BandedDistance(pattern, maxDistance, TERM_CODE_POINTS_MAX, lastMeant);
  }

  /** For vocabularies without tries: every term of a fitting length is compared. @throws FindlingError `search_timeout` */
  scan(): TermExpansion {
    const { pattern, maxDistance, ofBeginnings } = this.#near;
    // A code point takes one to four bytes.
    const least = pattern.length - maxDistance;
    const most = ofBeginnings ? Number.POSITIVE_INFINITY : 4 * (pattern.length + maxDistance);
    for (let ordinal = 0; ordinal < this.#terms.termCount; ordinal++) {
      if ((ordinal & (STEPS_PER_CHECK - 1)) === 0) this.#interrupt.check();
      const { length } = this.#terms.termBytes(ordinal);
      if (length >= least && length <= most) this.#note(ordinal, this.#ofRest(ordinal, 0, maxDistance + 1));
    }
    return this.#found();
  }

  /** Goes down a forward trie only where terms can still come near, or are. @throws FindlingError `search_timeout` */
  walk({ labels, depths, values }: TermTrie, alphabet: Uint32Array): TermExpansion {
    const { maxDistance, ofBeginnings } = this.#near;
    const rows = this.#rows;
    /** By depth: the distance on the path so far, and whether a longer path can come nearer. */
    const distanceAt = new Uint8Array(TERM_CODE_POINTS_MAX + 1).fill(maxDistance + 1);
    const isOpenAt = new Uint8Array(TERM_CODE_POINTS_MAX + 1).fill(1);
    let steps = 0;
    for (let node = 0; node < labels.length; ) {
      if ((++steps & (STEPS_PER_CHECK - 1)) === 0) this.#interrupt.check();
      const label = labels[node]!;
      const depth = depths[node]!;
      const value = values[node]!;
      let distance = distanceAt[depth]!;
      if (label === 0) {
        this.#note(value - LEAF, distance);
        node++;
        continue;
      }
      // Once a beginning is the same, nothing that follows can come nearer.
      let isOpen = isOpenAt[depth] === 1 && !(ofBeginnings && distance === 0);
      if (isOpen) {
        isOpen = rows.push(depth, alphabet[label - 1]!);
        const own = isOpen ? rows.distance(depth + 1) : maxDistance + 1;
        distance = ofBeginnings ? Math.min(distance, own) : own;
      }
      // Most are dead.
      if (!isOpen && distance > maxDistance) {
        node = value >= LEAF ? node + 1 : value;
        continue;
      }
      distanceAt[depth + 1] = distance;
      isOpenAt[depth + 1] = isOpen ? 1 : 0;
      if (value >= LEAF) {
        this.#note(value - LEAF, isOpen ? this.#ofRest(value - LEAF, depth + 1, distance) : distance);
      }
      node++;
    }
    return this.#found();
  }

  /** A term's distance, whose first code points, as many as `from`, have been pushed and are at `distance`. */
  #ofRest(ordinal: number, from: number, distance: number): number {
    const { ofBeginnings } = this.#near;
    const rows = this.#rows;
    const codePoints = this.#codePoints;
    const length = decodeCodePoints(this.#terms.termBytes(ordinal), codePoints);
    let nearest = distance;
    for (let at = from; at < length && !(ofBeginnings && nearest === 0); at++) {
      const isOpen = rows.push(at, codePoints[at]!);
      const own = rows.distance(at + 1);
      nearest = ofBeginnings ? Math.min(nearest, own) : own;
      if (!isOpen) break;
    }
    return nearest;
  }

  #note(ordinal: number, distance: number): void {
    if (distance > this.#near.maxDistance) return;
    this.#ordinals.push(ordinal);
    this.#distances.push(distance);
  }

  #found(): TermExpansion {
    return { ordinals: Uint32Array.from(this.#ordinals), distances: Uint8Array.from(this.#distances) };
  }
}
