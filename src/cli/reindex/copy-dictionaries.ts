import type { FindlingClient } from "../../client/index.js";

/** Entries of one request. */
const TOGETHER_MAX = 1_000;

/** Gives an index the synonyms and stopwords of another one. */
export async function copyDictionaries(client: FindlingClient, from: string, into: string): Promise<void> {
  const synonyms = Object.entries(await client.getSynonyms(from)).map(
    ([key, terms]) => `${escaped(key)}:${terms.map(escaped).join(",")}`,
  );
  for (let at = 0; at < synonyms.length; at += TOGETHER_MAX)
    await client.addSynonyms(into, synonyms.slice(at, at + TOGETHER_MAX));
  const [wanted, present] = await Promise.all([client.getStopwords(from), client.getStopwords(into)]);
  const added = wanted.filter((word) => !present.includes(word));
  const dropped = present.filter((word) => !wanted.includes(word));
  if (added.length > 0) await client.addStopwords(into, added);
  if (dropped.length > 0) await client.deleteStopwords(into, dropped);
}

/** A term as entries have it: what parts terms is part of it behind a backslash. */
function escaped(term: string): string {
  return term.replace(/[\\,:]/g, "\\$&");
}
