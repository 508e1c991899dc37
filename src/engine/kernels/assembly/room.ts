// AssemblyScript. Buffers one behind the other.

/** The multiple of 64 at or behind the end of so many bytes. */
export function behind(at: usize, bytes: usize): usize {
  return (at + bytes + 63) & ~63;
}
