import { BuildingMemory } from "../../kernels/building-memory.js";
import type { SlicedWork } from "../sliced-work.js";
import { countTrieNodes } from "./build-trie.js";
import { numbered } from "./numbered.js";
import { sortPlaced } from "./sort-strings.js";
import { sortSymbolStrings } from "./sort-symbol-strings.js";
import { reverseByKernel, spellByKernel } from "./spell-by-kernel.js";
import { reverseTerms, spellTerms } from "./term-letters.js";

/** Fewer terms are spelled in plain TypeScript. */
const TERMS_MIN = 256;

/** What the file holds of a field's tries. */
export interface TrieShapes {
  /** Distinct code points, ascending. */
  readonly alphabet: Uint32Array;
  readonly forwardNodes: number;
  /** Terms by what they are read backward. */
  readonly backwardOrder: Uint32Array;
  readonly backwardNodes: number;
}

/** Of terms in well-formed UTF-8, ascending; null if tries can't hold them. */
export function* trieShapes(bytes: Uint8Array, offsets: Uint32Array): SlicedWork<TrieShapes | null> {
  const memory = offsets.length <= TERMS_MIN ? null : BuildingMemory.borrow();
  if (memory === null) return yield* plainTrieShapes(bytes, offsets);
  try {
    return yield* kernelTrieShapes(memory, bytes, offsets);
  } finally {
    memory.giveBack();
  }
}

/** The same in plain TypeScript. */
export function* plainTrieShapes(bytes: Uint8Array, offsets: Uint32Array): SlicedWork<TrieShapes | null> {
  const spelled = spellTerms(bytes, offsets);
  yield;
  if (spelled === null) return null;
  const { alphabet, letters, starts } = spelled;
  const order = numbered(starts.length - 1);
  const forwardNodes = countTrieNodes(order, letters, starts);
  reverseTerms(letters, starts);
  yield* sortSymbolStrings(order, letters, starts);
  return {
    alphabet,
    forwardNodes,
    backwardOrder: order,
    backwardNodes: countTrieNodes(order, letters, starts),
  };
}

function* kernelTrieShapes(
  memory: BuildingMemory,
  bytes: Uint8Array,
  offsets: Uint32Array,
): SlicedWork<TrieShapes | null> {
  const { functions } = memory;
  const spelled = yield* spellByKernel(memory, bytes, offsets);
  if (spelled === null) return null;
  const { alphabet, alphabetLength, letters, starts, termCount, longest } = spelled;
  const order = memory.place(numbered(termCount));
  const forwardNodes = functions.countNodes(order, letters, starts, termCount);
  yield;
  yield* reverseByKernel(memory, spelled);
  const placed = { orderAt: order, symbolsAt: letters, startsAt: starts, isWide: true };
  yield* sortPlaced(memory, { ...placed, bytesMax: 2 * longest }, termCount);
  const { words } = memory;
  return {
    alphabet: words.slice(alphabet >>> 2, (alphabet >>> 2) + alphabetLength),
    forwardNodes,
    backwardOrder: words.slice(order >>> 2, (order >>> 2) + termCount),
    backwardNodes: functions.countNodes(order, letters, starts, termCount),
  };
}
