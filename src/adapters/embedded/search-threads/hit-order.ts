import type { RankedHit } from "../../../engine/server-door.js";
import type { BackendSearchResult } from "../../../ports/search-backend.js";

/** Hits of a search as places in its snapshots: plain data, 16 bytes a hit. */
export interface HitPlaces {
  /** By place: whose the hit is, among the members that aren't left out. */
  readonly members: Uint32Array<ArrayBuffer>;
  readonly segments: Uint32Array<ArrayBuffer>;
  readonly docIds: Uint32Array<ArrayBuffer>;
  readonly scores: Float32Array<ArrayBuffer>;
}

/** The first hits of a search. */
export interface HitOrder extends HitPlaces {
  readonly count: number;
  readonly facets: BackendSearchResult["facets"];
}

/** Hits in order, to be read place by place. */
export interface ReadablePlaces {
  /** Hits that were kept. */
  readonly length: number;
  at(place: number): { readonly member: number; readonly hit: RankedHit };
}

/** What a search has found, in order. */
export interface OrderedPlaces extends ReadablePlaces {
  /** Documents that match. */
  readonly count: number;
  readonly facets: BackendSearchResult["facets"];
  /** Places in memory. */
  readonly held: number;
}

/** Works the order out as far as the ranking goes. */
export function hitOrderOf(ranked: OrderedPlaces): HitOrder {
  const { count, facets, length } = ranked;
  return { count, facets, ...hitPlacesOf(ranked, 0, length) };
}

/** The hits from a place to before another one. */
export function hitPlacesOf(ranked: ReadablePlaces, start: number, end: number): HitPlaces {
  const length = Math.max(0, end - start);
  const members = new Uint32Array(length);
  const segments = new Uint32Array(length);
  const docIds = new Uint32Array(length);
  const scores = new Float32Array(length);
  for (let i = 0; i < length; i++) {
    const { member, hit } = ranked.at(start + i);
    members[i] = member;
    segments[i] = hit.segmentIndex;
    docIds[i] = hit.docId;
    scores[i] = hit.score;
  }
  return { members, segments, docIds, scores };
}

/** `HitPlaces` to read. */
export class PlacedHits implements ReadablePlaces {
  readonly #places: HitPlaces;

  constructor(places: HitPlaces) {
    this.#places = places;
  }

  get length(): number {
    return this.#places.docIds.length;
  }

  at(place: number): { readonly member: number; readonly hit: RankedHit } {
    const { members, segments, docIds, scores } = this.#places;
    const hit = { segmentIndex: segments[place]!, docId: docIds[place]!, score: scores[place]! };
    return { member: members[place]!, hit };
  }
}

/** A `HitOrder` to read. */
export class OrderedHitPlaces extends PlacedHits implements OrderedPlaces {
  readonly count: number;
  readonly facets: BackendSearchResult["facets"];

  constructor(order: HitOrder) {
    super(order);
    this.count = order.count;
    this.facets = order.facets;
  }

  get held(): number {
    return this.length;
  }
}
