import type { SeededRandom } from "../../tests/setup/seeded-random.js";
import type { DrawnSearch } from "./drawn-searches.js";

/** The rows that hold several kinds. */
export const ALL_KINDS = "all kinds";
export const CHEAP_KINDS = "cheap kinds";

/** Places of a row's searches, each of which is in one list of one row. */
export interface RowShares {
  readonly kind: string;
  /** Asked by many connections, and by a single one; mixes have none for that. */
  readonly many: readonly number[];
  readonly single: readonly number[];
}

export interface SearchShares {
  /** Asked before anything counts, and again and again for the hot figures. */
  readonly warmUp: ReadonlyMap<string, readonly number[]>;
  /** Mixes first. */
  readonly rows: readonly RowShares[];
}

/** Shares of a kind's searches; a kind that isn't cheap has the last one to spare. */
const SHARES = { warmUp: 0.15, many: 0.45, single: 0.2, all: 0.1, cheap: 0.1 };

/** Gives every search to one load, so that none is asked twice; mixes hold as many of each kind, shuffled. */
export function shareSearches(searches: readonly DrawnSearch[], random: SeededRandom): SearchShares {
  const warmUp = new Map<string, number[]>();
  const rows: RowShares[] = [];
  const all: number[] = [];
  const cheap: number[] = [];
  for (const [kind, places] of placesByKind(searches)) {
    let start = 0;
    const take = (share: number): number[] => {
      const taken = places.slice(start, start + Math.floor(places.length * share));
      start += taken.length;
      return taken;
    };
    warmUp.set(kind, take(SHARES.warmUp));
    rows.push({ kind, many: take(SHARES.many), single: take(SHARES.single) });
    all.push(...take(SHARES.all));
    if (searches[places[0]!]!.isCheap) cheap.push(...take(SHARES.cheap));
  }
  const mixes = [
    { kind: ALL_KINDS, many: random.shuffled(all), single: [] },
    { kind: CHEAP_KINDS, many: random.shuffled(cheap), single: [] },
  ];
  return { warmUp, rows: [...mixes.filter(({ many }) => many.length > 0), ...rows] };
}

function placesByKind(searches: readonly DrawnSearch[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [place, { kind }] of searches.entries()) places.set(kind, [...(places.get(kind) ?? []), place]);
  return places;
}
