import type { DocId } from "../../schema/document.js";
import type { RankedHit, RankedHits } from "../search-types.js";

const PLACES_PER_SEGMENT = 2 ** 32;

/** A document of a snapshot as a number: they ascend in insertion order. */
export function placeOf(segmentIndex: number, docId: DocId): number {
  return segmentIndex * PLACES_PER_SEGMENT + docId;
}

/**
 * The hits by relevance, best first. Whatever has found them gives them in this class: what reads hits is compiled for
 * one kind, so that none of them becomes an object.
 */
export class BestDocuments implements RankedHits {
  readonly #places: readonly number[];
  readonly #scores: readonly number[];

  /** @param places by `placeOf`, as many as scores */
  constructor(places: readonly number[], scores: readonly number[]) {
    this.#places = places;
    this.#scores = scores;
  }

  get length(): number {
    return this.#places.length;
  }

  get held(): number {
    return this.#places.length;
  }

  at(rank: number): RankedHit {
    const place = this.#places[rank]!;
    const segmentIndex = Math.floor(place / PLACES_PER_SEGMENT);
    return { segmentIndex, docId: place - segmentIndex * PLACES_PER_SEGMENT, score: this.#scores[rank]! };
  }

  /** Nothing but the score orders them. */
  sortKeys(rank: number): readonly number[] {
    return [this.#scores[rank]!];
  }
}
