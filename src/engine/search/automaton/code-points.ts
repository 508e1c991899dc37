/** Most code points that a term can have: terms take at most 255 bytes. */
export const TERM_CODE_POINTS_MAX = 255;

/** Decodes well-formed UTF-8 into `out`, as far as it reaches; returns the number of code points. */
export function decodeCodePoints(bytes: Uint8Array, out: Uint32Array): number {
  let count = 0;
  for (let i = 0; i < bytes.length && count < out.length; ) {
    const lead = bytes[i]!;
    if (lead < 0x80) {
      out[count++] = lead;
      i += 1;
    } else if (lead < 0xe0) {
      out[count++] = ((lead & 0x1f) << 6) | (bytes[i + 1]! & 0x3f);
      i += 2;
    } else if (lead < 0xf0) {
      out[count++] = ((lead & 0x0f) << 12) | ((bytes[i + 1]! & 0x3f) << 6) | (bytes[i + 2]! & 0x3f);
      i += 3;
    } else {
      const high = ((lead & 0x07) << 18) | ((bytes[i + 1]! & 0x3f) << 12);
      out[count++] = high | ((bytes[i + 2]! & 0x3f) << 6) | (bytes[i + 3]! & 0x3f);
      i += 4;
    }
  }
  return count;
}

export function codePointsOf(text: string): Uint32Array {
  return Uint32Array.from(text, (character) => character.codePointAt(0)!);
}
