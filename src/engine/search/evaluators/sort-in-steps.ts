/** Numbers that are sorted in one go, some milliseconds. */
const SORTED_AT_ONCE = 1 << 15;

/**
 * Sorts numbers in ascending order, in place. Memory: as much again if there are more than are sorted in one go.
 *
 * @param pace told now and then how many numbers have been gone through since; what it throws ends the sorting
 */
export function sortInSteps(numbers: Uint32Array, pace: (steps: number) => void): void {
  for (let from = 0; from < numbers.length; from += SORTED_AT_ONCE) {
    const run = numbers.subarray(from, from + SORTED_AT_ONCE);
    run.sort();
    pace(run.length);
  }
  if (numbers.length <= SORTED_AT_ONCE) return;
  const spare = new Uint32Array(numbers.length);
  let [from, to]: [Uint32Array, Uint32Array] = [numbers, spare];
  for (let width = SORTED_AT_ONCE; width < numbers.length; width *= 2) {
    for (let start = 0; start < numbers.length; start += 2 * width) mergePair(from, to, start, width, pace);
    [from, to] = [to, from];
  }
  if (from !== numbers) numbers.set(from);
}

/** Merges two neighbouring runs of `width` numbers, or of what there is, into the same place of another list. */
function mergePair(
  from: Uint32Array,
  to: Uint32Array,
  start: number,
  width: number,
  pace: (steps: number) => void,
): void {
  const middle = Math.min(start + width, from.length);
  const end = Math.min(middle + width, from.length);
  let left = start;
  let right = middle;
  for (let at = start; at < end; ) {
    const stop = Math.min(at + SORTED_AT_ONCE, end);
    pace(stop - at);
    for (; at < stop; at++) {
      const takesLeft = right === end || (left < middle && from[left]! <= from[right]!);
      to[at] = takesLeft ? from[left++]! : from[right++]!;
    }
  }
}
