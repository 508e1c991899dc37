/** Longer names are nowhere allowed. */
const LENGTH_MAX = 128;

/** Cells of tables that are looked at, some milliseconds: known names may be thousands, each of the full length. */
const CELLS_MAX = 2_000_000;

/**
 * The known name closest to a mistyped one, or undefined if none is close: at most a third of its letters wrong, two
 * of four or five (as where neighbours are swapped) and one of two or three; capitals are no mistake that counts.
 * Plain Levenshtein distance, given up where it can't be the least any more: a search of a federation pays for it at
 * each index that lacks a field. Of very many names the first are looked at.
 */
export function nearestName(typed: string, known: readonly string[]): string | undefined {
  const letters = typed.toLowerCase();
  if (letters.length > LENGTH_MAX) return undefined;
  let nearest: string | undefined;
  let nearestDistance = editsMax(letters.length) + 1;
  const row = new Uint8Array(letters.length + nearestDistance);
  let cells = 0;
  for (const name of known) {
    if (Math.abs(name.length - letters.length) >= nearestDistance) continue;
    cells += letters.length * name.length;
    if (cells > CELLS_MAX) break;
    const distance = editDistance(letters, name.toLowerCase(), nearestDistance, row);
    if (distance < nearestDistance) {
      nearest = name;
      nearestDistance = distance;
    }
  }
  return nearest;
}

function editsMax(length: number): number {
  if (length < 4) return length < 2 ? 0 : 1;
  return Math.max(2, Math.floor(length / 3));
}

/** What to add to a message about a name that there isn't: a question, or nothing. */
export function nearestNameAdvice(typed: string, known: readonly string[]): string {
  const nearest = nearestName(typed, known);
  return nearest === undefined ? "" : `, did you mean '${nearest}'?`;
}

/**
 * @param bound what any distance of at least that much is told as
 * @param row of numbers up to 255, with a place for each letter of the right name and one more; is overwritten
 */
function editDistance(left: string, right: string, bound: number, row: Uint8Array): number {
  const width = right.length;
  for (let column = 0; column <= width; column++) row[column] = column;
  for (let letter = 1; letter <= left.length; letter++) {
    const code = left.charCodeAt(letter - 1);
    let diagonal = row[0]!;
    let last = letter;
    let least = letter;
    row[0] = letter;
    for (let column = 1; column <= width; column++) {
      const above = row[column]!;
      last = Math.min(diagonal + (right.charCodeAt(column - 1) === code ? 0 : 1), above + 1, last + 1);
      row[column] = last;
      if (last < least) least = last;
      diagonal = above;
    }
    if (least >= bound) return bound;
  }
  return row[width]!;
}
