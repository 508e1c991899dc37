// AssemblyScript. Text as a JSON string, as `JSON.stringify` writes it.

const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;
const SPACE: u8 = 0x20;
/** First byte of U+FFFD, and the other two as a u16. */
const REPLACEMENT: u32 = 0xef;
const REPLACEMENT_REST: u32 = 0xbdbf;

/**
 * Writes the UTF-8 of `length` bytes in quotes, at most six times as long; returns its end, or 0 if it holds
 * U+FFFD: then there may have been half a pair of surrogates, which JSON has an escape for. Up to 16 bytes behind
 * the source and what is written may be read and overwritten.
 */
export function quoteText(source: usize, length: usize, target: usize): usize {
  const end = source + length;
  let at = source;
  let out = target;
  store<u8>(out++, QUOTE);
  while (at < end) {
    const bytes = v128.load(at);
    v128.store(out, bytes);
    const escaped = v128.or(
      i8x16.lt_u(bytes, i8x16.splat(SPACE)),
      v128.or(i8x16.eq(bytes, i8x16.splat(<i8>QUOTE)), i8x16.eq(bytes, i8x16.splat(<i8>BACKSLASH))),
    );
    const special = <u32>i8x16.bitmask(v128.or(escaped, i8x16.eq(bytes, i8x16.splat(<i8>REPLACEMENT))));
    const plain = min(<usize>ctz(special | 0x1_0000), end - at);
    at += plain;
    out += plain;
    if (plain == 16 || at == end) continue;
    const byte = <u32>load<u8>(at);
    if (byte == REPLACEMENT) {
      if (<u32>load<u16>(at + 1) == REPLACEMENT_REST) return 0;
      store<u8>(out++, byte);
    } else out = putEscape(byte, out);
    at++;
  }
  store<u8>(out++, QUOTE);
  return out;
}

function putEscape(byte: u32, out: usize): usize {
  store<u8>(out, BACKSLASH);
  const letter = letterOf(byte);
  if (letter != 0) {
    store<u8>(out + 1, letter);
    return out + 2;
  }
  const low = byte & 15;
  // u00, and two digits of base 16.
  store<u16>(out + 1, 0x3075);
  store<u8>(out + 3, 0x30);
  store<u8>(out + 4, 0x30 + (byte >>> 4));
  store<u8>(out + 5, low < 10 ? 0x30 + low : 0x57 + low);
  return out + 6;
}

/** What stands behind the backslash in a short escape; 0: it has none. */
function letterOf(byte: u32): u32 {
  switch (byte) {
    case QUOTE:
    case BACKSLASH:
      return byte;
    case 8:
      return 0x62;
    case 9:
      return 0x74;
    case 10:
      return 0x6e;
    case 12:
      return 0x66;
    case 13:
      return 0x72;
    default:
      return 0;
  }
}
