/** Levels of a facet path that are indexed and counted. */
export const FACET_LEVELS_MAX = 64;
/** Bytes of a facet path in UTF-8, slashes included, that are indexed and counted. */
export const FACET_BYTES_MAX = 4096;

/** Every slash of a path, the leading one included, is this byte in its sort bytes. */
export const FACET_SEPARATOR = 0;

/**
 * How many bytes of a path's sort bytes are indexed, so that what its levels take stays in proportion to itself: up to
 * the last level within the bounds; of a first level that is longer, as many characters as are within them.
 *
 * @param path its sort bytes are the first `length` of these
 */
export function indexedFacetLength(path: Uint8Array, length: number): number {
  let levels = 1;
  let end = 0;
  for (let i = 1; i < length; i++) {
    if (i > FACET_BYTES_MAX) return end > 0 ? end : wholeCharacters(path);
    if (path[i] !== FACET_SEPARATOR) continue;
    end = i;
    if (levels++ === FACET_LEVELS_MAX) return end;
  }
  return length <= FACET_BYTES_MAX ? length : end > 0 ? end : wholeCharacters(path);
}

/** `FACET_BYTES_MAX` bytes of UTF-8 or up to three fewer, so that no character is cut. */
function wholeCharacters(bytes: Uint8Array): number {
  let end = FACET_BYTES_MAX;
  while ((bytes[end]! & 0xc0) === 0x80) end--;
  return end;
}
