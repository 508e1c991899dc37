/** Positions of a field that are looked at: its first ones, as a bit each. */
export const NEAR_POSITIONS = 64;

/** What a pair of words counts that stand as far apart as in the query, … */
const IN_ORDER = 1;
/** … that stand near each other, in whichever order, … */
const NEAR = 0.5;
/** … and that merely stand in the same field. */
const SAME_FIELD = 0.2;
/** Positions within which words are near. */
const NEAR_DISTANCE = 4;

/** What a field adds that holds nothing but the query, in parts of all that pairs can count. */
export const WHOLE_FIELD = 0.5;

/**
 * How near two words stand in a field, from 0 to 1, by their places among its first positions.
 *
 * @param gap positions from the first to the second in the query, 1 to 31
 */
export function pairCloseness(
  firstLow: number,
  firstHigh: number,
  secondLow: number,
  secondHigh: number,
  gap: number,
): number {
  if ((firstLow | firstHigh) === 0 || (secondLow | secondHigh) === 0) return 0;
  if (isAhead(firstLow, firstHigh, secondLow, secondHigh, gap)) return IN_ORDER;
  for (let distance = 1; distance <= NEAR_DISTANCE; distance++) {
    if (
      isAhead(firstLow, firstHigh, secondLow, secondHigh, distance) ||
      isAhead(secondLow, secondHigh, firstLow, firstHigh, distance)
    )
      return NEAR;
  }
  return SAME_FIELD;
}

/** Whether one stands just so far before the other anywhere. */
function isAhead(low: number, high: number, otherLow: number, otherHigh: number, distance: number): boolean {
  const movedLow = low << distance;
  const movedHigh = (high << distance) | (low >>> (32 - distance));
  return ((movedLow & otherLow) | (movedHigh & otherHigh)) !== 0;
}
