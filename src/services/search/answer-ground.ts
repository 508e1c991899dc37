import type { CatalogIndex } from "../../ports/catalog.js";
import type { SearchBackend } from "../../ports/search-backend.js";
import type { AnswerGround } from "./answer-cache.js";

/**
 * What answers from these indexes depend on: their settings and their committed state, and other settings, such
 * as a federation's.
 *
 * @returns null where that isn't known without waiting, and where the time of the search counts
 */
export function knownGround(
  backend: Pick<SearchBackend, "knownGeneration">,
  indexes: readonly CatalogIndex[],
  ...settings: readonly object[]
): AnswerGround | null {
  const ground: (object | string)[] = [...settings];
  for (const index of indexes) {
    const generation = isTimeless(index) ? backend.knownGeneration(index.storageId) : null;
    if (generation === null) return null;
    ground.push(index, generation);
  }
  return ground;
}

/** The ground, waited for if need be; of a search that begins later it names the ground or an older one. */
export async function currentGround(
  backend: Pick<SearchBackend, "generation">,
  indexes: readonly CatalogIndex[],
  ...settings: readonly object[]
): Promise<AnswerGround | null> {
  if (!indexes.every(isTimeless)) return null;
  const generations = await Promise.all(indexes.map(({ storageId }) => backend.generation(storageId)));
  return [...settings, ...indexes.flatMap((index, i) => [index, generations[i]!])];
}

/** Whether the same search finds the same again tomorrow. */
function isTimeless({ schema }: CatalogIndex): boolean {
  return schema.time_decay_field === undefined;
}
