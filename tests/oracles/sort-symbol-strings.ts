/**
 * `sortStrings` by plain comparison: string i is `symbols[starts[i]]` up to, not including, `symbols[starts[i + 1]]`;
 * shorter first where one is a prefix of the other.
 */
export function sortSymbolStrings(
  order: Uint32Array,
  symbols: Uint8Array | Uint16Array,
  starts: Uint32Array,
): void {
  order.sort((a, b) => {
    const length = Math.min(starts[a + 1]! - starts[a]!, starts[b + 1]! - starts[b]!);
    for (let i = 0; i < length; i++) {
      const difference = symbols[starts[a]! + i]! - symbols[starts[b]! + i]!;
      if (difference !== 0) return difference;
    }
    return starts[a + 1]! - starts[a]! - (starts[b + 1]! - starts[b]!);
  });
}
