/** Variants of a word whose frequencies are counted to find the most frequent ones. */
const COUNTED_MAX = 300;

/** So many of the terms at most, those that most documents hold. */
export async function mostFrequent(
  terms: readonly string[],
  count: number,
  docFreqOf: (term: string) => Promise<number>,
): Promise<readonly string[]> {
  if (terms.length <= count) return terms;
  const counted = await Promise.all(
    terms.slice(0, COUNTED_MAX).map(async (term) => ({ term, docFreq: await docFreqOf(term) })),
  );
  return counted
    .sort((a, b) => b.docFreq - a.docFreq)
    .slice(0, count)
    .map(({ term }) => term);
}
