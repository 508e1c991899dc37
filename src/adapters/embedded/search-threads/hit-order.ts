import type { RankedHit } from "../../../engine/index.js";
import type { BackendSearchResult } from "../../../ports/search-backend.js";

/** The first hits of a search as places in its snapshots: plain data, 16 bytes a hit. */
export interface HitOrder {
  readonly count: number;
  readonly facets: BackendSearchResult["facets"];
  /** By place: whose the hit is, among the members that aren't left out. */
  readonly members: Uint32Array<ArrayBuffer>;
  readonly segments: Uint32Array<ArrayBuffer>;
  readonly docIds: Uint32Array<ArrayBuffer>;
  readonly scores: Float32Array<ArrayBuffer>;
}

/** Hits in order. */
export interface OrderedPlaces {
  /** Documents that match. */
  readonly count: number;
  readonly facets: BackendSearchResult["facets"];
  /** Hits that were kept. */
  readonly length: number;
  /** Places in memory. */
  readonly held: number;
  at(place: number): { readonly member: number; readonly hit: RankedHit };
}

/** Works the order out as far as the ranking goes. */
export function hitOrderOf(ranked: OrderedPlaces): HitOrder {
  const { count, facets, length } = ranked;
  const members = new Uint32Array(length);
  const segments = new Uint32Array(length);
  const docIds = new Uint32Array(length);
  const scores = new Float32Array(length);
  for (let place = 0; place < length; place++) {
    const { member, hit } = ranked.at(place);
    members[place] = member;
    segments[place] = hit.segmentIndex;
    docIds[place] = hit.docId;
    scores[place] = hit.score;
  }
  return { count, facets, members, segments, docIds, scores };
}

/** A `HitOrder` to read. */
export class OrderedHitPlaces implements OrderedPlaces {
  readonly count: number;
  readonly facets: BackendSearchResult["facets"];
  readonly #order: HitOrder;

  constructor(order: HitOrder) {
    this.count = order.count;
    this.facets = order.facets;
    this.#order = order;
  }

  get length(): number {
    return this.#order.docIds.length;
  }

  get held(): number {
    return this.length;
  }

  at(place: number): { readonly member: number; readonly hit: RankedHit } {
    const { members, segments, docIds, scores } = this.#order;
    const hit = { segmentIndex: segments[place]!, docId: docIds[place]!, score: scores[place]! };
    return { member: members[place]!, hit };
  }
}
