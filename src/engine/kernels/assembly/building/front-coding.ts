// AssemblyScript. `foldFrontCoded` and `unfoldFrontCoded` (`segment/strings/front-coding.ts`), and which references
// of a dictionary are written.

const SHARED_MAX: u32 = 255;

/**
 * Writes how many bytes each of ascending strings shares with the one before, and the rest of each; returns where
 * the rests end. Up to 8 bytes behind them are overwritten, as many behind the strings read.
 */
export function frontCode(bytes: usize, offsets: usize, count: u32, shared: usize, rests: usize): usize {
  let before: usize = 0;
  let start = bytes + <usize>load<u32>(offsets);
  for (let i: usize = 0; i < <usize>count; i++) {
    const end = bytes + <usize>load<u32>(offsets + (i << 2), 4);
    let at = start;
    if (i > 0) {
      const limit = min(min(start + SHARED_MAX, end), start + (start - before));
      for (let other = before; at < limit && load<u8>(at) == load<u8>(other); at++) other++;
    }
    store<u8>(shared + i, <u8>(at - start));
    const rest = end - at;
    if (rest <= 8) store<u64>(rests, load<u64>(at));
    else memory.copy(rests, at, rest);
    rests += rest;
    before = start;
    start = end;
  }
  return rests;
}

/**
 * Puts strings together again, of u32 `shared`; returns where the rests end that were used, 0 if the strings
 * don't fit together.
 */
export function frontDecode(
  shared: usize,
  rests: usize,
  restsEnd: usize,
  offsets: usize,
  count: u32,
  target: usize,
  targetLength: u32,
): usize {
  let before = target;
  let start: u32 = load<u32>(offsets);
  if (start != 0) return 0;
  for (let i: usize = 0; i < <usize>count; i++) {
    const end = load<u32>(offsets + (i << 2), 4);
    const common = load<u32>(shared + (i << 2));
    if (end < start || end > targetLength || common > end - start) return 0;
    const rest = <usize>(end - start - common);
    if (rests + rest > restsEnd) return 0;
    const at = target + <usize>start;
    // What is shared may be longer than the string before only in a file that isn't right; then the two overlap.
    for (let j: usize = 0; j < <usize>common; j++) store<u8>(at + j, load<u8>(before + j));
    memory.copy(at + <usize>common, rests, rest);
    rests += rest;
    before = at;
    start = end;
  }
  return start == targetLength ? rests : 0;
}

/** Copies the references of terms that are in `least` to `most` documents; returns how many these are. */
export function selectReferences(
  references: usize,
  docFreqs: usize,
  count: u32,
  least: u32,
  most: u32,
  target: usize,
): u32 {
  let selected: u32 = 0;
  for (let at: usize = 0; at < <usize>count << 2; at += 4) {
    const docFreq = load<u32>(docFreqs + at);
    if (docFreq < least || docFreq > most) continue;
    store<u32>(target + (<usize>selected << 2), load<u32>(references + at));
    selected++;
  }
  return selected;
}
