import { disagreement } from "./agreement.js";
import { BASE } from "./engine-program.js";
import type { LayoutVariant } from "./index-layout.js";
import type { PeerEngine } from "./peer-engine.js";
import { isRanked } from "./peer-query.js";
import type { PlacedQuery } from "./rounds.js";

export interface Differences {
  readonly found: readonly string[];
  readonly compared: number;
}

/**
 * By engine, what differs from Tantivy's answers, both ranked without and with the count. Answers from
 * several segments are compared with Tantivy's from one; those after deletes with Tantivy's after the same
 * ones, by counts, since Tantivy's scores go on counting deleted documents. Tantivy isn't compared with itself.
 */
export async function compareAnswers(
  engines: readonly PeerEngine[],
  variants: readonly LayoutVariant[],
  queries: readonly PlacedQuery[],
): Promise<Map<string, Differences>> {
  const differences = new Map<string, Differences>();
  const deleting = variants.filter(({ layout }) => layout.deleted > 0);
  for (const engine of engines.filter(({ name }) => !name.startsWith(BASE))) {
    const suffix = deleting.find((variant) => engine.name.endsWith(variant.suffix))?.suffix ?? "";
    const base = engines.find(({ name }) => name === BASE + suffix);
    if (base === undefined) continue;
    differences.set(engine.name, await differencesFrom(base, engine, queries, suffix === ""));
  }
  return differences;
}

async function differencesFrom(
  base: PeerEngine,
  engine: PeerEngine,
  queries: readonly PlacedQuery[],
  comparesScores: boolean,
): Promise<Differences> {
  const found: string[] = [];
  let compared = 0;
  for (const mode of ["top10", "one_pass"] as const) {
    const places = [...queries.keys()].filter(
      (place) => (mode === "top10" || isRanked(queries[place]!.query.kind)) && engine.supports(place),
    );
    const expected = await base.answers(mode, places);
    const answers = await engine.answers(mode, places);
    for (const [i, place] of places.entries()) {
      const { className, query } = queries[place]!;
      const scoresCount = comparesScores && engine.comparableScores;
      const what = disagreement(query, answers[i]!, expected[i]!, scoresCount);
      if (what !== null) found.push(`${className} ${JSON.stringify(query).slice(0, 120)}: ${what}`);
      compared++;
    }
  }
  return { found, compared };
}
