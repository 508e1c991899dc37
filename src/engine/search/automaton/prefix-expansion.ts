import { BandedDistance } from "../../../analysis/banded-distance.js";
import { lastMeant } from "../../../analysis/korean-particles.js";
import type { FieldTerms, TermTrie } from "../../segment/segment-reader.js";
import { NO_INTERRUPT, type SearchInterrupt, STEPS_PER_CHECK } from "../search-interrupt.js";
import { codePointsOf, decodeCodePoints, TERM_CODE_POINTS_MAX } from "./code-points.js";
import { madeTries } from "./made-tries.js";
import { beginningRange } from "./prefix-range.js";
import type { TermExpansion } from "./term-expansion.js";

const LEAF = 0x8000_0000;

/**
 * All terms that begin with something within `maxDistance` edits of the prefix, each with the distance
 * of the nearest of its beginnings; terms of deleted documents included. A prefix is at least one code
 * point longer than the distance, or every term would do.
 *
 * @throws FindlingError `search_timeout`
 */
export function expandPrefix(
  terms: FieldTerms,
  prefix: string,
  maxDistance: 0 | 1 | 2,
  interrupt: SearchInterrupt = NO_INTERRUPT,
): TermExpansion {
  if (maxDistance === 0) return expandWithoutEdits(terms, prefix);
  const pattern = codePointsOf(prefix);
  const found = new ExpansionBuilder(interrupt);
  if (pattern.length > maxDistance && pattern.length <= TERM_CODE_POINTS_MAX + maxDistance) {
    const tries = madeTries(terms, interrupt);
    if (tries === null) scanTerms(terms, pattern, maxDistance, found);
    else walkTrie(terms, tries.forward, tries.alphabet, pattern, maxDistance, found);
  }
  return found.toExpansion();
}

/** Whatever the last syllable may become yet is as near as the syllable. */
function distanceOfBeginning(pattern: Uint32Array, maxDistance: number): BandedDistance {
  const meant = lastMeant(pattern[pattern.length - 1]!);
  return new BandedDistance(pattern, maxDistance, TERM_CODE_POINTS_MAX, meant);
}

/** Terms that begin so stand next to each other. */
function expandWithoutEdits(terms: FieldTerms, prefix: string): TermExpansion {
  if (prefix === "") return { ordinals: new Uint32Array(0), distances: new Uint8Array(0) };
  const { first, end } = beginningRange(terms, terms.termCount, prefix);
  const ordinals = new Uint32Array(Math.max(0, end - first));
  for (let i = 0; i < ordinals.length; i++) ordinals[i] = first + i;
  return { ordinals, distances: new Uint8Array(ordinals.length) };
}

/** For vocabularies without tries. */
function scanTerms(
  terms: FieldTerms,
  pattern: Uint32Array,
  maxDistance: number,
  found: ExpansionBuilder,
): void {
  const distance = distanceOfBeginning(pattern, maxDistance);
  const codePoints = new Uint32Array(TERM_CODE_POINTS_MAX);
  for (let ordinal = 0; ordinal < terms.termCount; ordinal++) {
    if ((ordinal & (STEPS_PER_CHECK - 1)) === 0) found.interrupt.check();
    const length = decodeCodePoints(terms.termBytes(ordinal), codePoints);
    const nearest = nearestBeginning(distance, codePoints, 0, length, maxDistance + 1);
    if (nearest <= maxDistance) found.add(ordinal, nearest);
  }
}

/** Goes down only where a beginning can still come nearer, or has come near enough. */
function walkTrie(
  terms: FieldTerms,
  { labels, depths, values }: TermTrie,
  alphabet: Uint32Array,
  pattern: Uint32Array,
  maxDistance: number,
  found: ExpansionBuilder,
): void {
  const distance = distanceOfBeginning(pattern, maxDistance);
  const codePoints = new Uint32Array(TERM_CODE_POINTS_MAX);
  /** By depth: the nearest beginning on the path so far, and whether a longer one can come nearer. */
  const nearestAt = new Uint8Array(TERM_CODE_POINTS_MAX + 1).fill(maxDistance + 1);
  const isOpenAt = new Uint8Array(TERM_CODE_POINTS_MAX + 1).fill(1);
  let steps = 0;
  for (let node = 0; node < labels.length; ) {
    if ((++steps & (STEPS_PER_CHECK - 1)) === 0) found.interrupt.check();
    const label = labels[node]!;
    const depth = depths[node]!;
    const value = values[node]!;
    if (label === 0) {
      if (nearestAt[depth]! <= maxDistance) found.add(value - LEAF, nearestAt[depth]!);
      node++;
      continue;
    }
    let nearest = nearestAt[depth]!;
    let isOpen = isOpenAt[depth]! === 1 && nearest > 0;
    if (isOpen) {
      isOpen = distance.push(depth, alphabet[label - 1]!);
      nearest = Math.min(nearest, distance.distance(depth + 1));
    }
    nearestAt[depth + 1] = nearest;
    isOpenAt[depth + 1] = isOpen ? 1 : 0;
    if (value >= LEAF) {
      if (isOpen && nearest > 0) {
        const length = decodeCodePoints(terms.termBytes(value - LEAF), codePoints);
        nearest = nearestBeginning(distance, codePoints, depth + 1, length, nearest);
      }
      if (nearest <= maxDistance) found.add(value - LEAF, nearest);
      node++;
    } else {
      node = isOpen || nearest <= maxDistance ? node + 1 : value;
    }
  }
}

/** The least distance of a term's beginnings, those before `from` being at least at `nearest`. */
function nearestBeginning(
  distance: BandedDistance,
  codePoints: Uint32Array,
  from: number,
  length: number,
  nearest: number,
): number {
  let least = nearest;
  for (let at = from; at < length && least > 0; at++) {
    if (!distance.push(at, codePoints[at]!)) return least;
    least = Math.min(least, distance.distance(at + 1));
  }
  return least;
}

/** Terms come in ascending order from the forward trie and from a scan. */
class ExpansionBuilder {
  readonly interrupt: SearchInterrupt;
  readonly #ordinals: number[] = [];
  readonly #distances: number[] = [];

  constructor(interrupt: SearchInterrupt) {
    this.interrupt = interrupt;
  }

  add(ordinal: number, distance: number): void {
    this.#ordinals.push(ordinal);
    this.#distances.push(distance);
  }

  toExpansion(): TermExpansion {
    return { ordinals: Uint32Array.from(this.#ordinals), distances: Uint8Array.from(this.#distances) };
  }
}
