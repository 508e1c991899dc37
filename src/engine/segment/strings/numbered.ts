/**
 * The numbers from 0 to `count - 1`. Like other loops over all terms or documents that run once for a segment, it
 * is no part of the generator that wants it: V8 compiles a generator with all that is inlined there, twice,
 * which took five times as long as the loop itself.
 */
export function numbered(count: number): Uint32Array {
  const numbers = new Uint32Array(count);
  for (let i = 0; i < count; i++) numbers[i] = i;
  return numbers;
}
