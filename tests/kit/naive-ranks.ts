/** Code points of the folded value, the order that the specification asks for. */
function foldedPoints(text: string): number[] {
  return [...text.toLowerCase()].map((point) => point.codePointAt(0)!);
}

function comparePoints(left: readonly number[], right: readonly number[]): number {
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    if (left[i] !== right[i]) return left[i]! - right[i]!;
  }
  return left.length - right.length;
}

/** Ranks by sorting whole values; 0 for a document without one. For tests. */
export function naiveRanks(documents: readonly (string | null)[]): number[] {
  const distinct: string[] = [];
  for (const text of documents) {
    if (text !== null && !distinct.some((other) => other.toLowerCase() === text.toLowerCase()))
      distinct.push(text);
  }
  distinct.sort((a, b) => comparePoints(foldedPoints(a), foldedPoints(b)));
  return documents.map((text) =>
    text === null ? 0 : distinct.findIndex((other) => other.toLowerCase() === text.toLowerCase()) + 1,
  );
}
