const encoder = new TextEncoder();

/** A call of the encoder costs more than a loop over so many units. */
const LOOP_UNITS_MAX = 64;

/** UTF-8 of a text; unpaired surrogates become U+FFFD. Short ASCII, most of what comes, is encoded in place. */
export function utf8Bytes(text: string): Uint8Array {
  const length = text.length;
  if (length > LOOP_UNITS_MAX) return encoder.encode(text);
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x80) return encoder.encode(text);
    bytes[i] = unit;
  }
  return bytes;
}
