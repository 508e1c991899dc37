/** V8 makes no slices of texts that are shorter. */
const SLICE_LENGTH_MIN = 13;

/**
 * An equal text that keeps no other one alive, for what is remembered of queries: a word that was cut out of a text is
 * a slice of it to V8, and keeps all of it, and so does a key that was put together with it.
 */
export function ownText(text: string): string {
  if (text.length < SLICE_LENGTH_MIN) return text;
  const own = Buffer.from(text).toString();
  // UTF-8 has no lone surrogates, and two bytes for each unit would make others slower to compare.
  return own === text ? own : Buffer.from(text, "utf16le").toString("utf16le");
}
