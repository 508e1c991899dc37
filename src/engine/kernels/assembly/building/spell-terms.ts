// AssemblyScript. What tries are made of (`segment/terms/spell-terms.ts`): terms, well-formed
// UTF-8 end to end, as numbers of the letters that they have in common.

const CODE_POINTS: u32 = 0x11_0000;
/** Whose u16s fit a vector. */
const CODE_POINTS_AT_ONCE: u32 = 8;

/** Bytes of the code point that begins with this one. */
@inline
function widthOf(byte: u32): usize {
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

@inline
function codePointAt(at: usize, byte: u32): u32 {
  if (byte < 0x80) return byte;
  const second = <u32>load<u8>(at, 1) & 0x3f;
  if (byte < 0xe0) return ((byte & 0x1f) << 6) | second;
  const third = <u32>load<u8>(at, 2) & 0x3f;
  if (byte < 0xf0) return ((byte & 0x0f) << 12) | (second << 6) | third;
  return ((byte & 0x07) << 18) | (second << 12) | (third << 6) | (<u32>load<u8>(at, 3) & 0x3f);
}

/** A bound above all code points before `end`, one of few, so that tables of letters are as long as letters need. */
export function codePointsBound(bytes: usize, end: usize): u32 {
  let greatest: u32 = 0;
  for (let at = bytes; at < end; at++) greatest = max(greatest, <u32>load<u8>(at));
  return greatest < 0x80 ? 0x80 : greatest < 0xe0 ? 0x800 : greatest < 0xf0 ? 0x1_0000 : CODE_POINTS;
}

/**
 * Notes in `letterOf`, a cleared u16 for each code point, those that begin before `end`. Returns where the next one
 * begins.
 */
export function markCodePoints(bytes: usize, end: usize, letterOf: usize): usize {
  let at = bytes;
  while (at < end) {
    const byte = <u32>load<u8>(at);
    store<u16>(letterOf + (<usize>codePointAt(at, byte) << 1), 1);
    at += widthOf(byte);
  }
  return at;
}

/**
 * Numbers those below `bound` that occur from 1 on, and lists up to `alphabetMax`. Returns how many there are, or one
 * more than fit.
 */
export function numberLetters(letterOf: usize, bound: u32, alphabet: usize, alphabetMax: u32): u32 {
  let count: u32 = 0;
  for (let next: u32 = 0; next < bound; next += CODE_POINTS_AT_ONCE) {
    if (!v128.any_true(v128.load(letterOf + (<usize>next << 1)))) continue;
    for (let codePoint = next; codePoint < next + CODE_POINTS_AT_ONCE; codePoint++) {
      const place = letterOf + (<usize>codePoint << 1);
      if (load<u16>(place) == 0) continue;
      if (count == alphabetMax) return count + 1;
      store<u32>(alphabet + (<usize>count << 2), codePoint);
      store<u16>(place, <u16>++count);
    }
  }
  return count;
}

/**
 * Writes the letters of terms from `from` up to, not including, `to`, u16, and where each begins, behind those of the
 * terms before, which have been written. Returns how many the longest has.
 */
export function spellTerms(
  bytes: usize,
  offsets: usize,
  from: u32,
  to: u32,
  letterOf: usize,
  letters: usize,
  starts: usize,
): u32 {
  let longest: u32 = 0;
  let at = bytes + load<u32>(offsets + (<usize>from << 2));
  let letter: u32 = from == 0 ? 0 : load<u32>(starts + (<usize>from << 2));
  for (let term = from; term < to; term++) {
    const start = letter;
    store<u32>(starts + (<usize>term << 2), start);
    const end = bytes + load<u32>(offsets + (<usize>term << 2), 4);
    while (at < end) {
      const byte = <u32>load<u8>(at);
      store<u16>(letters + (<usize>letter << 1), load<u16>(letterOf + (<usize>codePointAt(at, byte) << 1)));
      letter++;
      at += widthOf(byte);
    }
    longest = max(longest, letter - start);
  }
  store<u32>(starts + (<usize>to << 2), letter);
  return longest;
}

/** Writes the numbers of terms from `from` up to, not including, `to`. */
export function numberTerms(order: usize, from: u32, to: u32): void {
  for (let term = from; term < to; term++) store<u32>(order + (<usize>term << 2), term);
}

export function reverseTerms(letters: usize, starts: usize, termCount: u32): void {
  for (let term: u32 = 0; term < termCount; term++) {
    const place = starts + (<usize>term << 2);
    let low = letters + (<usize>load<u32>(place) << 1);
    let high = letters + (<usize>load<u32>(place, 4) << 1) - 2;
    for (; low < high; low += 2, high -= 2) {
      const letter = load<u16>(low);
      store<u16>(low, load<u16>(high));
      store<u16>(high, letter);
    }
  }
}

/** Nodes of the trie that `growTrie` makes of these strings. */
export function countNodes(order: usize, letters: usize, starts: usize, termCount: u32): u32 {
  let nodes = termCount;
  let sharedBefore: u32 = 0;
  for (let i: u32 = 0; i + 1 < termCount; i++) {
    const pair = order + (<usize>i << 2);
    const a = starts + (<usize>load<u32>(pair) << 2);
    const b = starts + (<usize>load<u32>(pair, 4) << 2);
    const startA = load<u32>(a);
    const startB = load<u32>(b);
    const limit = min(load<u32>(a, 4) - startA, load<u32>(b, 4) - startB);
    const letterA = letters + (<usize>startA << 1);
    const letterB = letters + (<usize>startB << 1);
    let shared: u32 = 0;
    while (shared < limit && load<u16>(letterA + (<usize>shared << 1)) == load<u16>(letterB + (<usize>shared << 1))) {
      shared++;
    }
    if (shared > sharedBefore) nodes += shared - sharedBefore;
    sharedBefore = shared;
  }
  return nodes;
}
