/**
 * Block bounds hold at the average length of their segment, scores are taken at the collection's. A posting's
 * share of its term's weight, x = f / (f + K), becomes x / (x + (1 - x) · K'/K), and K'/K lies between 1 and the
 * ratio r of the lengths, the segment's to the collection's: between x and x / (r + (1 - r) · x). That curve's
 * tangent bounds it, above where r is below 1 and below where it is above, and is a thousandth off where
 * scores decide; multiplying with 1 / r instead is as far off as the lengths are.
 */

/** Where the tangent touches: what scores among the best is near it. */
const TOUCHING = 0.8;
/** Lengths that differ by more are bounded by their ratio, as the tangent is far off for small shares. */
const RATIO_MIN = 0.5;

/** Slope, and share at a bound of 0, of what bounds shares from above. */
export function slopeAbove(ratio: number): number {
  if (ratio >= 1) return 1;
  return ratio < RATIO_MIN ? 1 / ratio : tangentSlope(ratio);
}

export function shareAbove(ratio: number): number {
  return ratio >= 1 || ratio < RATIO_MIN ? 0 : tangentShare(ratio);
}

/** Slope of what bounds shares from below. */
export function slopeBelow(ratio: number): number {
  if (ratio <= 1) return 1;
  return ratio > 1 / RATIO_MIN ? 1 / ratio : tangentSlope(ratio);
}

export function shareBelow(ratio: number): number {
  return ratio <= 1 || ratio > 1 / RATIO_MIN ? 0 : tangentShare(ratio);
}

function tangentSlope(ratio: number): number {
  const denominator = ratio + (1 - ratio) * TOUCHING;
  return ratio / (denominator * denominator);
}

function tangentShare(ratio: number): number {
  const denominator = ratio + (1 - ratio) * TOUCHING;
  return ((1 - ratio) * TOUCHING * TOUCHING) / (denominator * denominator);
}
