import type { InputDigest } from "../peers/input-digest.js";
import type { PeerQuery } from "../peers/peer-query.js";
import { drawQueryClasses } from "../peers/query-classes.js";

/** A class's queries: some are timed, each once in a process, and others have warmed that process up before. */
export interface FreshClass {
  readonly name: string;
  readonly measured: readonly PeerQuery[];
  readonly warmUps: readonly PeerQuery[];
}

export interface FreshDraw {
  readonly seed: number;
  /** Queries of each class that are timed; fewer where the corpus has no more. */
  readonly perClass: number;
  /** Queries of each class to warm up with; fewer where the corpus has no more. */
  readonly warmUps: number;
}

/** Drawn beyond what is wanted, since classes may draw what another one has drawn before. */
const SPARE = 2;

/** Draws all classes anew for a seed; no query is in two classes, nor among both the timed and the others. */
export function drawFreshClasses(digest: InputDigest, { seed, perClass, warmUps }: FreshDraw): FreshClass[] {
  const drawn = new Set<string>();
  return drawQueryClasses(digest, seed, (perClass + warmUps) * SPARE).map(({ name, queries }) => {
    const own = queries.filter((query) => {
      const key = identity(query);
      return !drawn.has(key) && drawn.add(key);
    });
    return {
      name,
      measured: own.slice(0, perClass),
      warmUps: own.slice(perClass, perClass + warmUps),
    };
  });
}

/** Equal for queries that ask the same, in whatever order their words stand. */
export function identity(query: PeerQuery): string {
  const { terms = [], ...rest } = query;
  return JSON.stringify({ ...rest, terms: query.kind === "phrase" ? terms : terms.toSorted() });
}
