import type { AliasChange } from "../../ports/catalog.js";

/** Indexes by alias after the changes, sorted. */
export function changedAliases(
  aliases: Iterable<readonly [string, string]>,
  changes: readonly AliasChange[],
): ReadonlyMap<string, string> {
  const changed = new Map(aliases);
  for (const { alias, index } of changes) {
    if (index === null) changed.delete(alias);
    else changed.set(alias, index);
  }
  return new Map([...changed].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
