import { reverseTerms, spellTerms } from "../../src/engine/segment/check/term-letters.js";
import type { SlicedWork } from "../../src/engine/segment/sliced-work.js";
import { runWhole } from "../../src/engine/segment/sliced-work.js";
import { numbered } from "../../src/engine/segment/strings/numbered.js";
import { TRIE_LEAF } from "../../src/engine/segment/terms/term-tries.js";
import type { TrieShapes } from "../../src/engine/segment/terms/trie-shapes.js";
import { sortSymbolStrings } from "./sort-symbol-strings.js";

/** Terms put into a trie between two pauses; a power of two. */
const TERMS_PER_STEP = 4096;

/** A trie's preorder arrays, `countTrieNodes` long. */
export interface TrieArrays {
  readonly labels: Uint16Array;
  readonly depths: Uint8Array;
  readonly values: Uint32Array;
}

/** Nodes of the trie that `buildTrie` makes of these strings. */
export function countTrieNodes(order: Uint32Array, letters: Uint16Array, starts: Uint32Array): number {
  let nodes = order.length;
  let sharedBefore = 0;
  for (let i = 0; i + 1 < order.length; i++) {
    const sharedAfter = sharedPrefix(letters, starts, order[i]!, order[i + 1]!);
    if (sharedAfter > sharedBefore) nodes += sharedAfter - sharedBefore;
    sharedBefore = sharedAfter;
  }
  return nodes;
}

/**
 * Fills the preorder arrays of distinct strings in ascending order, in time linear in their length.
 * A string's leaf hangs where it parts from both neighbours; above it are inner nodes, of which those
 * deeper than what it shares with the string before are new. Returns how many nodes there are, which is
 * `countTrieNodes` if the order is one.
 */
export function* buildTrie(
  order: Uint32Array,
  letters: Uint16Array,
  starts: Uint32Array,
  { labels, depths, values }: TrieArrays,
): SlicedWork<number> {
  /** Open inner nodes by depth; entries below `openCount` are ancestors of the next leaf. */
  const open = new Uint32Array(256);
  let openCount = 0;
  let sharedBefore = 0;
  let node = 0;
  for (let i = 0; i < order.length; i++) {
    if ((i & (TERMS_PER_STEP - 1)) === TERMS_PER_STEP - 1) yield;
    const term = order[i]!;
    const start = starts[term]!;
    const length = starts[term + 1]! - start;
    const sharedAfter = i + 1 < order.length ? sharedPrefix(letters, starts, term, order[i + 1]!) : 0;
    while (openCount > sharedBefore) values[open[--openCount]!] = node;
    while (openCount < sharedAfter) {
      open[openCount] = node;
      labels[node] = letters[start + openCount]!;
      depths[node++] = openCount++;
    }
    const depth = sharedBefore > sharedAfter ? sharedBefore : sharedAfter;
    labels[node] = depth === length ? 0 : letters[start + depth]!;
    depths[node] = depth;
    values[node++] = TRIE_LEAF | term;
    sharedBefore = sharedAfter;
  }
  while (openCount > 0) values[open[--openCount]!] = node;
  return node;
}

function sharedPrefix(letters: Uint16Array, starts: Uint32Array, a: number, b: number): number {
  const aStart = starts[a]!;
  const bStart = starts[b]!;
  const aLength = starts[a + 1]! - aStart;
  const bLength = starts[b + 1]! - bStart;
  const limit = aLength < bLength ? aLength : bLength;
  let shared = 0;
  while (shared < limit && letters[aStart + shared] === letters[bStart + shared]) shared++;
  return shared;
}

/** What a file holds of the tries of terms in well-formed UTF-8, ascending; null if tries can't hold them. */
export function plainTrieShapes(bytes: Uint8Array, offsets: Uint32Array): TrieShapes | null {
  const spelled = spellTerms(bytes, offsets);
  if (spelled === null) return null;
  const { alphabet, letters, starts } = spelled;
  const order = numbered(starts.length - 1);
  const forwardNodes = countTrieNodes(order, letters, starts);
  reverseTerms(letters, starts);
  sortSymbolStrings(order, letters, starts);
  return {
    alphabet,
    forwardNodes,
    backwardOrder: order,
    backwardNodes: countTrieNodes(order, letters, starts),
  };
}

/** Both tries' arrays by what their sections are named, such as `forward.labels`; null if tries can't hold the terms. */
export function plainTries(bytes: Uint8Array, offsets: Uint32Array): ReadonlyMap<string, Uint8Array> | null {
  const spelled = spellTerms(bytes, offsets);
  if (spelled === null) return null;
  const { letters, starts } = spelled;
  const order = numbered(starts.length - 1);
  const sections = new Map<string, Uint8Array>();
  const build = (direction: string): void => {
    const nodes = countTrieNodes(order, letters, starts);
    const [labels, depths, values] = [new Uint16Array(nodes), new Uint8Array(nodes), new Uint32Array(nodes)];
    runWhole(buildTrie(order, letters, starts, { labels, depths, values }));
    sections.set(`${direction}.labels`, new Uint8Array(labels.buffer));
    sections.set(`${direction}.depths`, depths);
    sections.set(`${direction}.values`, new Uint8Array(values.buffer));
  };
  build("forward");
  reverseTerms(letters, starts);
  sortSymbolStrings(order, letters, starts);
  build("backward");
  return sections;
}
