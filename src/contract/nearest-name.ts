/**
 * The known name closest to a mistyped one, or undefined if none is close: at most a third of its
 * letters wrong. Plain Levenshtein distance over at most a few dozen short names.
 */
export function nearestName(typed: string, known: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let nearestDistance = Math.floor(Math.max(typed.length, 6) / 3) + 1;
  for (const name of known) {
    if (Math.abs(name.length - typed.length) >= nearestDistance) continue;
    const distance = editDistance(typed, name);
    if (distance < nearestDistance) {
      nearest = name;
      nearestDistance = distance;
    }
  }
  return nearest;
}

/** What to add to a message about a name that there isn't: a question, or nothing. */
export function nearestNameAdvice(typed: string, known: readonly string[]): string {
  const nearest = nearestName(typed, known);
  return nearest === undefined ? "" : `, did you mean '${nearest}'?`;
}

function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const substituted = previous[column - 1]! + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(substituted, previous[column]! + 1, current[column - 1]! + 1));
    }
    previous = current;
  }
  return previous[right.length]!;
}
