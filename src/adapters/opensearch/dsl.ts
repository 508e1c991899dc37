/** A query in the cluster's language. */
export type Dsl = Readonly<Record<string, unknown>>;

export const MATCH_ALL: Dsl = { match_all: {} };
export const MATCH_NONE: Dsl = { match_none: {} };

export function allOf(filters: readonly Dsl[]): Dsl {
  return filters.length === 1 ? filters[0]! : { bool: { filter: filters } };
}

/** The query among what all filters match; it scores as it does. */
export function amongst(filters: readonly Dsl[], query: Dsl): Dsl {
  const bool = query["bool"] as Dsl | undefined;
  // Beside filters, clauses that were the only ones would be optional.
  const isSafe = bool !== undefined && ("must" in bool || "minimum_should_match" in bool);
  if (!isSafe) return { bool: { filter: filters, must: [query] } };
  return { bool: { ...bool, filter: [...filters, ...[bool["filter"] ?? []].flat()] } };
}

export function anyOf(queries: readonly Dsl[]): Dsl {
  if (queries.length === 0) return MATCH_NONE;
  return queries.length === 1 ? queries[0]! : { bool: { should: queries, minimum_should_match: 1 } };
}

/** The greatest of their scores. */
export function bestOf(queries: readonly Dsl[]): Dsl {
  if (queries.length === 0) return MATCH_NONE;
  return queries.length === 1 ? queries[0]! : { dis_max: { queries } };
}

/** Each match scores the same. */
export function constant(filter: Dsl, score = 1): Dsl {
  return { constant_score: { filter, boost: score } };
}

export function boosted(query: Dsl, boost: number): Dsl {
  return boost === 1 ? query : { bool: { must: [query], boost } };
}

/** @param source Painless over `_score`, the same text for all queries, as each text is compiled */
export function scripted(query: Dsl, source: string, params: Readonly<Record<string, unknown>>): Dsl {
  return { script_score: { query, script: { source, params } } };
}

/** Fewer queries whose scores have the sum of these: one that is there several times is there once, boosted. */
export function withoutRepeats(queries: readonly Dsl[]): readonly Dsl[] {
  const counts = new Map<string, { readonly query: Dsl; count: number }>();
  for (const query of queries) {
    const key = JSON.stringify(query);
    const known = counts.get(key);
    if (known === undefined) counts.set(key, { query, count: 1 });
    else known.count++;
  }
  if (counts.size === queries.length) return queries;
  return [...counts.values()].map(({ query, count }) => boosted(query, count));
}
