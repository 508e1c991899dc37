import { CorruptionError } from "../../../errors/index.js";
import type { SectionSink, SectionSource } from "../sections.js";
import type { TermTrie } from "../segment-reader.js";
import type { SlicedWork } from "../sliced-work.js";
import { GrowableU32 } from "./growable-u32.js";
import { sortSymbolStrings } from "./sort-symbol-strings.js";
import { reverseTerms, spellTerms } from "./term-letters.js";

/** Marks a trie value as a leaf's: the rest is the term's ordinal. */
export const TRIE_LEAF = 0x8000_0000;

/** Terms put into a trie between two pauses; a power of two. */
const TERMS_PER_STEP = 4096;

/**
 * Writes the forward and backward trie of a field's terms (well-formed UTF-8, ascending), or nothing
 * if tries can't hold them.
 */
export function* writeTermTries(
  sink: SectionSink,
  prefix: string,
  bytes: Uint8Array,
  offsets: Uint32Array,
): SlicedWork {
  const spelled = spellTerms(bytes, offsets);
  yield;
  if (spelled === null) return;
  const { alphabet, letters, starts } = spelled;
  const order = new Uint32Array(starts.length - 1);
  for (let term = 0; term < order.length; term++) order[term] = term;

  sink.add(`${prefix}tries.alphabet`, alphabet);
  writeTrie(sink, `${prefix}tries.forward`, yield* buildTrie(order, letters, starts));
  reverseTerms(letters, starts);
  yield* sortSymbolStrings(order, letters, starts);
  writeTrie(sink, `${prefix}tries.backward`, yield* buildTrie(order, letters, starts));
}

/**
 * Builds the preorder arrays of distinct strings in ascending order, in time linear in their length.
 * A string's leaf hangs where it parts from both neighbours; above it are inner nodes, of which those
 * deeper than what it shares with the string before are new.
 */
function* buildTrie(order: Uint32Array, letters: Uint16Array, starts: Uint32Array): SlicedWork<TermTrie> {
  const labels = new GrowableU32(2 * order.length);
  const depths = new GrowableU32(2 * order.length);
  const values = new GrowableU32(2 * order.length);
  /** Open inner nodes by depth; entries below `openCount` are ancestors of the next leaf. */
  const open = new Uint32Array(256);
  let openCount = 0;
  let sharedBefore = 0;
  for (let i = 0; i < order.length; i++) {
    if ((i & (TERMS_PER_STEP - 1)) === TERMS_PER_STEP - 1) yield;
    const term = order[i]!;
    const start = starts[term]!;
    const length = starts[term + 1]! - start;
    const sharedAfter = i + 1 < order.length ? sharedPrefix(letters, starts, term, order[i + 1]!) : 0;
    while (openCount > sharedBefore) values.array[open[--openCount]!] = labels.length;
    while (openCount < sharedAfter) {
      open[openCount] = labels.length;
      labels.push(letters[start + openCount]!);
      depths.push(openCount++);
      values.push(0);
    }
    const depth = Math.max(sharedBefore, sharedAfter);
    labels.push(depth === length ? 0 : letters[start + depth]!);
    depths.push(depth);
    values.push(TRIE_LEAF | term);
    sharedBefore = sharedAfter;
  }
  while (openCount > 0) values.array[open[--openCount]!] = labels.length;
  return {
    labels: Uint16Array.from(labels.toSection()),
    depths: Uint8Array.from(depths.toSection()),
    values: values.toSection(),
  };
}

function sharedPrefix(letters: Uint16Array, starts: Uint32Array, a: number, b: number): number {
  const aStart = starts[a]!;
  const bStart = starts[b]!;
  const limit = Math.min(starts[a + 1]! - aStart, starts[b + 1]! - bStart);
  let shared = 0;
  while (shared < limit && letters[aStart + shared] === letters[bStart + shared]) shared++;
  return shared;
}

function writeTrie(sink: SectionSink, name: string, trie: TermTrie): void {
  sink.add(`${name}.labels`, trie.labels);
  sink.add(`${name}.depths`, trie.depths);
  sink.add(`${name}.values`, trie.values);
}

/** @throws CorruptionError naming `fileName` if a trie's arrays differ in length */
export function openTermTries(
  source: SectionSource,
  prefix: string,
  fileName: string,
): { readonly alphabet: Uint32Array; readonly forward: TermTrie; readonly backward: TermTrie } | null {
  if (!source.has(`${prefix}tries.alphabet`)) return null;
  return {
    alphabet: source.u32(`${prefix}tries.alphabet`),
    forward: openTrie(source, `${prefix}tries.forward`, fileName),
    backward: openTrie(source, `${prefix}tries.backward`, fileName),
  };
}

function openTrie(source: SectionSource, name: string, fileName: string): TermTrie {
  const labels = source.u16(`${name}.labels`);
  const depths = source.u8(`${name}.depths`);
  const values = source.u32(`${name}.values`);
  if (depths.length !== labels.length || values.length !== labels.length) {
    throw new CorruptionError(fileName, `sections '${name}' differ in length`);
  }
  return { labels, depths, values };
}
