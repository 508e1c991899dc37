// Writes AssemblyScript that unpacks vertical blocks (bit-packing.ts): one unrolled function for each
// usual width, since the shifts are then constants, and one with a loop for the others.

const ROWS = 32;
/** Wider values are rare: gaps above two million, frequencies above 65,535. */
const DOC_BITS_UNROLLED = 21;
const FREQ_BITS_UNROLLED = 10;

export function unpackSource() {
  const parts = ["// Written by scripts/build/unpack-source.mjs.\n"];
  for (let bits = 0; bits <= DOC_BITS_UNROLLED; bits++) parts.push(unrolled("docs", bits));
  for (let bits = 0; bits <= FREQ_BITS_UNROLLED; bits++) parts.push(unrolled("freqs", bits));
  parts.push(looped("docs"), looped("freqs"));
  parts.push(`
/** Doc ids from gaps less one, after the document \`previous\`. */
export function unpackDocs(bits: u32, source: usize, target: usize, previous: i32): void {
  const before = i32x4.splat(previous);
  switch (bits) {
${cases("docs", DOC_BITS_UNROLLED, "source, target, before")}
    default: docsLooped(bits, source, target, before);
  }
}

/** Frequencies from frequencies less one. */
export function unpackFreqs(bits: u32, source: usize, target: usize): void {
  switch (bits) {
${cases("freqs", FREQ_BITS_UNROLLED, "source, target")}
    default: freqsLooped(bits, source, target);
  }
}
`);
  return parts.join("\n");
}

function cases(kind, last, parameters) {
  const lines = [];
  for (let bits = 0; bits <= last; bits++)
    lines.push(`    case ${bits}: { ${kind}${bits}(${parameters}); return; }`);
  return lines.join("\n");
}

function unrolled(kind, bits) {
  const isDocs = kind === "docs";
  const lines = [
    `function ${kind}${bits}(source: usize, target: usize${isDocs ? ", previous: v128" : ""}): void {`,
    "  const one = i32x4.splat(1);",
    "  let values: v128;",
  ];
  if (isDocs) lines.push("  const zero = i32x4.splat(0);", "  let before = previous;");
  if (bits > 0)
    lines.push(`  const mask = i32x4.splat(${2 ** bits - 1});`, "  let word0 = v128.load(source);");
  let loaded = 0;
  const load = (word) => {
    for (; loaded < word; ) lines.push(`  const word${++loaded} = v128.load(source, ${loaded * 16});`);
  };
  for (let row = 0; row < ROWS; row++) {
    const bit = row * bits;
    const word = bit >>> 5;
    const shift = bit & 31;
    if (bits === 0) lines.push(`  values = one;`);
    else {
      load(word);
      let value = shift === 0 ? `word${word}` : `i32x4.shr_u(word${word}, ${shift})`;
      if (shift + bits > 32) {
        load(word + 1);
        value = `v128.or(${value}, i32x4.shl(word${word + 1}, ${32 - shift}))`;
      }
      if (shift + bits !== 32) value = `v128.and(${value}, mask)`;
      lines.push(`  values = i32x4.add(${value}, one);`);
    }
    if (isDocs) lines.push(...prefixSum());
    lines.push(`  v128.store(target, values, ${row * 16});`);
  }
  lines.push("}");
  return lines.join("\n");
}

/** Sums up the four lanes and adds the document before them. */
function prefixSum() {
  return [
    "  values = i32x4.add(values, v128.shuffle<i32>(zero, values, 0, 4, 5, 6));",
    "  values = i32x4.add(values, v128.shuffle<i32>(zero, values, 0, 1, 4, 5));",
    "  values = i32x4.add(values, before);",
    "  before = v128.shuffle<i32>(values, values, 3, 3, 3, 3);",
  ];
}

function looped(kind) {
  const isDocs = kind === "docs";
  return `function ${kind}Looped(bits: u32, source: usize, target: usize${isDocs ? ", previous: v128" : ""}): void {
  const one = i32x4.splat(1);
  const mask = i32x4.splat(<i32>(0xffff_ffff >>> (32 - bits)));
${isDocs ? "  const zero = i32x4.splat(0);\n  let before = previous;" : ""}
  for (let row: u32 = 0; row < ${ROWS}; row++) {
    const bit = row * bits;
    const shift = <i32>(bit & 31);
    const word = source + (<usize>(bit >>> 5) << 4);
    let values = i32x4.shr_u(v128.load(word), shift);
    if (shift + <i32>bits > 32) values = v128.or(values, i32x4.shl(v128.load(word, 16), 32 - shift));
    values = i32x4.add(v128.and(values, mask), one);
${
  isDocs
    ? prefixSum()
        .map((line) => `  ${line}`)
        .join("\n")
    : ""
}
    v128.store(target + (<usize>row << 4), values);
  }
}`;
}
