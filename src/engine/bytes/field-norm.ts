/**
 * Field lengths as one byte, as Tantivy and Lucene do: lengths 0 to 40 exactly, then eight codes per
 * doubling. The decoded value is the largest length at or below the true one that a code stands for.
 */
const LENGTHS: Uint32Array = (() => {
  const lengths = new Uint32Array(256);
  let length = 0;
  let step = 1;
  for (let code = 0; code < 256; code++) {
    lengths[code] = length;
    if (code >= 40 && (code - 40) % 8 === 0) step *= 2;
    length += code < 40 ? 1 : step;
  }
  return lengths;
})();

/** Length that a norm code stands for. */
export function fieldNormLength(code: number): number {
  return LENGTHS[code]!;
}

/** Code of a field length in tokens: the greatest code whose length is at most `length`. */
export function fieldNormCode(length: number): number {
  if (length <= 40) return length;
  let low = 40;
  let high = 255;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (LENGTHS[middle]! <= length) low = middle;
    else high = middle - 1;
  }
  return low;
}
