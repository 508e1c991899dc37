import { BuildingMemory } from "../../kernels/building-memory.js";
import type { SlicedWork } from "../sliced-work.js";
import { numbered } from "../strings/numbered.js";
import { sortPlaced } from "../strings/sort-strings.js";
import { reverseTerms, spellTerms } from "./spell-terms.js";

/** What the file holds of a field's tries. */
export interface TrieShapes {
  /** Distinct code points, ascending. */
  readonly alphabet: Uint32Array;
  readonly forwardNodes: number;
  /** Terms by what they are read backward. */
  readonly backwardOrder: Uint32Array;
  readonly backwardNodes: number;
}

/** Shapes of the tries of terms in well-formed UTF-8, ascending; null if tries can't hold them. */
export function* trieShapes(bytes: Uint8Array, offsets: Uint32Array): SlicedWork<TrieShapes | null> {
  const memory = BuildingMemory.borrow();
  try {
    return yield* shapesIn(memory, bytes, offsets);
  } finally {
    memory.giveBack();
  }
}

function* shapesIn(
  memory: BuildingMemory,
  bytes: Uint8Array,
  offsets: Uint32Array,
): SlicedWork<TrieShapes | null> {
  const { functions } = memory;
  const spelled = yield* spellTerms(memory, bytes, offsets);
  if (spelled === null) return null;
  const { alphabet, alphabetLength, letters, starts, termCount, longest } = spelled;
  const order = memory.place(numbered(termCount));
  const forwardNodes = functions.countNodes(order, letters, starts, termCount);
  yield;
  yield* reverseTerms(memory, spelled);
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
