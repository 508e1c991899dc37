// AssemblyScript. Documents that hold variants of one typo-tolerant word, of which there may be thousands:
// window by window frequencies are added up by document, so that a posting costs the same however many
// variants share its document. Scores are those of `VariantsEvaluator`, bit for bit.

import { docAt, entryAtOrAfter, loadDocs, loadFreqs } from "./posting-block";
import { blockAtOrAfter, PostingList } from "./posting-list";
import { fuzzyScore, termScoreFor } from "./term-score";
import { pace } from "./pace";
import { accepts, maxDoc } from "./ranking";
import { addHit, threshold } from "./top-hits";

/** The fewer documents of a window hold a variant, and the more variants there are, the wider it is. */
const WINDOW_DOCS_MIN: i32 = 8192;
const WINDOW_DOCS_MAX: i32 = 65536;
const WINDOW_POSTINGS: i64 = 2048;
const WINDOW_POSTINGS_PER_VARIANT: i64 = 128;
const BLOCK_SIZE: i32 = 128;
const VARIANT_BYTES: usize = 32;
const LEVEL_BYTES: usize = 16;

/** One variant in one field. TypeScript fills in the first three (`word-table.ts`). */
@unmanaged
class Variant {
  docFreq: i32;
  /** 128 documents or more: the first block; fewer: the byte in the field's data; one: its doc id. */
  reference: u32;
  /** What a single document has. */
  freq: i32;
  /** Documents that haven't come yet; of fewer than 128. */
  left: i32;
  /** The last document that has, and the byte behind it. */
  doc: i32;
  at: usize;
  /** Where the walk stands; of 128 documents or more. */
  block: i32;
}

/** Variants of one field at one distance; by distance, then in the query's order of fields. */
@unmanaged
class Level {
  /** What has the field's addresses, its weight and the word's idf. */
  field: PostingList;
  first: i32;
  end: i32;
  /** Edits beyond the nearest variants'; `STEM_STEPS`: only the stem is the word's; `FOLDED_STEPS`: it is but for folding. */
  steps: i32;
}

/** As `fuzzy-scoring.ts` has it. */
const STEM_STEPS: i32 = 3;
const FOLDED_STEPS: i32 = 4;

/** u32 × 65536, all 0 between windows: frequencies by document. */
let freqs: usize = 0;
/** f32 × 65536, all 0 between windows: BM25 without idf, in the end the score. */
let scores: usize = 0;
/** Bits × 65536: documents of the field at hand, of the distance, and of all so far; the first all 0 between fields. */
let ofField: usize = 0;
let ofLevel: usize = 0;
let found: usize = 0;

let variants: usize = 0;
let words: i32 = 0;

export function attachWord(freqBuffer: usize, scoreBuffer: usize, fieldBits: usize, levelBits: usize, foundBits: usize): void {
  freqs = freqBuffer;
  scores = scoreBuffer;
  ofField = fieldBits;
  ofLevel = levelBits;
  found = foundBits;
}

/**
 * Offers every document of the variants that counts to the hits, by doc id; returns how many there are.
 *
 * @param levels, levelCount, table, variantCount as the classes above have them
 */
export function topOfWord(levels: usize, levelCount: i32, table: usize, variantCount: i32): i32 {
  variants = table;
  let postings: i64 = 1;
  for (let index = 0; index < variantCount; index++) {
    postings += <i64>variantAt(index).docFreq;
    rewind(variantAt(index));
  }
  const wanted = (<i64>maxDoc * (WINDOW_POSTINGS + <i64>variantCount * WINDOW_POSTINGS_PER_VARIANT)) / postings;
  const width = (<i32>min<i64>(WINDOW_DOCS_MAX, max<i64>(WINDOW_DOCS_MIN, wanted)) >>> 6) << 6;
  const postingsOfWindow = <i32>min<i64>(1 + (postings * <i64>width) / <i64>maxDoc, i32.MAX_VALUE >>> 1);
  let count = 0;
  for (let start = 0; start < maxDoc; start += width) {
    const end = min(start + width, maxDoc);
    pace(postingsOfWindow);
    words = (end - start + 63) >>> 6;
    memory.fill(found, 0, <usize>words << 3);
    for (let index = 0; index < levelCount; ) index = scoreLevel(levels, index, levelCount, start, end);
    count += takeFound(start);
  }
  return count;
}

function variantAt(index: i32): Variant {
  return changetype<Variant>(variants + <usize>index * VARIANT_BYTES);
}

function levelAt(levels: usize, index: i32): Level {
  return changetype<Level>(levels + <usize>index * LEVEL_BYTES);
}

function rewind(variant: Variant): void {
  variant.left = variant.docFreq;
  variant.doc = -1;
  variant.at = 0;
  variant.block = <i32>variant.reference;
}

/** Scores the documents of one distance that no smaller one has; returns where the next distance starts. */
function scoreLevel(levels: usize, first: i32, levelCount: i32, start: i32, end: i32): i32 {
  const steps = levelAt(levels, first).steps;
  const idf = levelAt(levels, first).field.idf;
  memory.fill(ofLevel, 0, <usize>words << 3);
  let index = first;
  for (; index < levelCount && levelAt(levels, index).steps == steps; index++) {
    const level = levelAt(levels, index);
    for (let variant = level.first; variant < level.end; variant++) addFreqs(level.field, variantAt(variant), start, end);
    addTermScores(level.field, start);
  }
  for (let word = 0; word < words; word++) {
    const at = <usize>word << 3;
    const fresh = load<u64>(ofLevel + at);
    if (fresh == 0) continue;
    store<u64>(found + at, load<u64>(found + at) | fresh);
    for (let bits = fresh; bits != 0; bits &= bits - 1) {
      const score = scores + (<usize>((word << 6) + <i32>ctz(bits)) << 2);
      store<f32>(score, scoreAt(idf, steps, load<f32>(score)));
    }
  }
  return index;
}

function scoreAt(idf: f64, steps: i32, termScore: f32): f32 {
  if (steps == 0) return fuzzyScore(idf, termScore);
  const x = <f64>termScore;
  if (steps == FOLDED_STEPS) return <f32>(idf * 0.1 * (0.535 + (0.02 * x) / (1 + x)));
  const tier = steps == STEM_STEPS ? 0.95 : steps == 1 ? 0.5 : 0.25;
  return <f32>(idf * 0.1 * tier * (0.6 + (0.4 * x) / (1 + x)));
}

/** Adds a field's part to the documents that no smaller distance has, and clears the frequencies. */
function addTermScores(field: PostingList, start: i32): void {
  for (let word = 0; word < words; word++) {
    const at = <usize>word << 3;
    const own = load<u64>(ofField + at);
    if (own == 0) continue;
    store<u64>(ofField + at, 0);
    const nearer = load<u64>(found + at);
    store<u64>(ofLevel + at, load<u64>(ofLevel + at) | (own & ~nearer));
    for (let bits = own; bits != 0; bits &= bits - 1) {
      const offset = (word << 6) + <i32>ctz(bits);
      const freq = freqs + (<usize>offset << 2);
      if (((nearer >>> <u64>(offset & 63)) & 1) == 0) {
        const score = scores + (<usize>offset << 2);
        const norm = <u32>load<u8>(field.norms + <usize>(start + offset));
        store<f32>(score, load<f32>(score) + termScoreFor(field, <f32>load<u32>(freq), norm));
      }
      store<u32>(freq, 0);
    }
  }
}

function takeFound(start: i32): i32 {
  let count = 0;
  for (let word = 0; word < words; word++) {
    for (let bits = load<u64>(found + (<usize>word << 3)); bits != 0; bits &= bits - 1) {
      const offset = (word << 6) + <i32>ctz(bits);
      const at = scores + (<usize>offset << 2);
      const score = load<f32>(at);
      store<f32>(at, 0);
      count++;
      if (score > threshold) addHit(start + offset, score);
    }
  }
  return count;
}

/** Adds up the frequencies of a variant in a window. */
function addFreqs(field: PostingList, variant: Variant, start: i32, end: i32): void {
  if (variant.docFreq >= BLOCK_SIZE) {
    addBlocks(field, variant, start, end);
  } else if (variant.docFreq == 1) {
    const doc = <i32>variant.reference;
    if (doc >= start && doc < end) add(start, doc - start, variant.freq);
  } else {
    addVarints(field, variant, start, end);
  }
}

function add(start: i32, offset: i32, freq: u32): void {
  if (!accepts(start + offset)) return;
  const at = freqs + (<usize>offset << 2);
  store<u32>(at, load<u32>(at) + freq);
  const word = ofField + (<usize>(offset >>> 5) << 2);
  store<u32>(word, load<u32>(word) | (1 << (offset & 31)));
}

function addBlocks(field: PostingList, variant: Variant, start: i32, end: i32): void {
  const docFreq = variant.docFreq;
  field.docFreq = docFreq;
  field.firstBlock = <i32>variant.reference;
  field.endBlock = field.firstBlock + ((docFreq + BLOCK_SIZE - 1) >>> 7);
  field.loaded = -1;
  field.loadedFreqs = -1;
  let block = blockAtOrAfter(field, variant.block, start);
  for (; block < field.endBlock; block++) {
    if (block > field.firstBlock && load<i32>(field.lastDocs + (<usize>(block - 1) << 2)) >= end - 1) break;
    loadDocs(field, block);
    loadFreqs(field, block);
    const from = docAt(field, 0) < start ? entryAtOrAfter(field, start) : 0;
    const isLast = docAt(field, field.count - 1) >= end;
    const to = isLast ? entryAtOrAfter(field, end) : field.count;
    for (let entry = from; entry < to; entry++) {
      add(start, docAt(field, entry) - start, load<u32>(field.freqs + (<usize>entry << 2)));
    }
    if (isLast) break;
  }
  variant.block = block;
}

/** Varints: gap << 1 | (frequency is 1), then the frequency if it isn't 1. */
function addVarints(field: PostingList, variant: Variant, start: i32, end: i32): void {
  let at = variant.at == 0 ? field.data + <usize>variant.reference : variant.at;
  let doc = variant.doc;
  let left = variant.left;
  while (left > 0) {
    const before = at;
    let byte = <u32>load<u8>(at++);
    let value = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = <u32>load<u8>(at++);
      value |= (byte & 127) << shift;
    }
    const next = doc + <i32>(value >>> 1);
    if (next >= end) {
      at = before;
      break;
    }
    doc = next;
    left--;
    let freq: u32 = 1;
    if ((value & 1) == 0) {
      byte = <u32>load<u8>(at++);
      freq = byte & 127;
      for (let shift = 7; byte > 127; shift += 7) {
        byte = <u32>load<u8>(at++);
        freq |= (byte & 127) << shift;
      }
    }
    add(start, doc - start, freq);
  }
  variant.at = at;
  variant.doc = doc;
  variant.left = left;
}
