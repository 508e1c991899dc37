import { MalformedBytesError } from "../../bytes/malformed-bytes-error.js";
import { unpackNumbers } from "../../bytes/packed-numbers.js";
import type { BuildingMemory } from "../../kernels/building-memory.js";
import { memoryFor, PACKING_MARGIN } from "../../kernels/pack-numbers.js";
import type { UnfoldedSection } from "../sections.js";
import type { SlicedWork } from "../sliced-work.js";
import { u32OfBytes } from "../u32-of-bytes.js";
import { buildTrie, type TrieArrays } from "./build-trie.js";
import { numbered } from "./numbered.js";
import { reverseByKernel, spellByKernel } from "./spell-by-kernel.js";
import { reverseTerms, spellTerms } from "./term-letters.js";
import { placeInSlices, takeInSlices, termsInSlices } from "./terms-in-slices.js";

/** Terms put into a trie between two pauses. */
const TERMS_PER_STEP = 16_384;

/**
 * Builds both tries of a field's terms, of which the file holds only in which order the terms are when
 * they are read backward.
 *
 * @throws MalformedBytesError
 * @throws RangeError if there is no memory to make them in
 */
export function* unfoldTries(folded: Uint8Array, { name, other }: UnfoldedSection): SlicedWork {
  const prefix = name.slice(0, name.indexOf("tries."));
  const memory = memoryFor(u32OfBytes(other(`${prefix}terms.offsets`)).length - 1);
  if (memory !== null) {
    try {
      if (yield* unfoldByKernel(memory, folded, prefix, other)) return;
    } catch (error) {
      // The memory can't grow.
      if (!(error instanceof Error && error.name === "RuntimeError")) throw error;
    } finally {
      memory.giveBack();
    }
  }
  const spelled = spellTerms(other(`${prefix}terms.bytes`), u32OfBytes(other(`${prefix}terms.offsets`)));
  if (spelled === null) throw new MalformedBytesError(`'${prefix}tries' are of terms that tries can't hold`);
  yield;
  const { letters, starts } = spelled;
  const order = numbered(starts.length - 1);
  yield* build("forward");
  reverseTerms(letters, starts);
  unpackNumbers(folded, order);
  yield;
  yield* build("backward");

  function* build(direction: string): SlicedWork {
    const arrays = arraysOf(other, `${prefix}tries.${direction}`);
    const nodes = yield* buildTrie(order, letters, starts, arrays);
    if (nodes !== arrays.labels.length) {
      throw new MalformedBytesError(`'${prefix}tries.${direction}' has another number of nodes`);
    }
  }
}

/** False if something doesn't fit, which plain code tells. */
function* unfoldByKernel(
  memory: BuildingMemory,
  folded: Uint8Array,
  prefix: string,
  other: (name: string) => Uint8Array,
): SlicedWork<boolean> {
  const { functions } = memory;
  const spelled = yield* spellByKernel(
    memory,
    other(`${prefix}terms.bytes`),
    other(`${prefix}terms.offsets`),
  );
  if (spelled === null) return false;
  const { letters, starts, termCount } = spelled;
  const order = functions.allocate(4 * termCount);
  yield* termsInSlices(termCount, (from, to) => {
    functions.numberTerms(order, from, to);
  });
  if (!(yield* build("forward"))) return false;
  yield* reverseByKernel(memory, spelled);
  if (!(yield* unpackOrder())) return false;
  return yield* build("backward");

  function* unpackOrder(): SlicedWork<boolean> {
    const foldedAt = yield* placeInSlices(memory, folded);
    functions.allocate(PACKING_MARGIN);
    const foldedEnd = foldedAt + folded.length;
    functions.beginNumbers(foldedAt, foldedEnd);
    let end = 0;
    yield* termsInSlices(termCount, (from, to) => {
      end = functions.nextNumbers(order + 4 * from, to - from);
    });
    return end === foldedEnd;
  }

  function* build(direction: string): SlicedWork<boolean> {
    const name = `${prefix}tries.${direction}`;
    const nodesMax = other(`${name}.depths`).length;
    const top = functions.heapTop();
    const labels = functions.allocate(2 * nodesMax);
    const depths = functions.allocate(nodesMax);
    const values = functions.allocate(4 * nodesMax);
    functions.beginTrie(order, letters, starts, termCount);
    let nodes = -1;
    while (nodes < 0) {
      nodes = functions.growTrie(labels, depths, values, nodesMax, TERMS_PER_STEP);
      yield;
    }
    if (nodes !== nodesMax) return false;
    yield* takeInSlices(memory, labels, other(`${name}.labels`));
    yield* takeInSlices(memory, depths, other(`${name}.depths`));
    yield* takeInSlices(memory, values, other(`${name}.values`));
    functions.releaseTo(top);
    return true;
  }
}

function arraysOf(other: (name: string) => Uint8Array, name: string): TrieArrays {
  const labels = other(`${name}.labels`);
  return {
    labels: new Uint16Array(labels.buffer, labels.byteOffset, labels.byteLength >>> 1),
    depths: other(`${name}.depths`),
    values: u32OfBytes(other(`${name}.values`)),
  };
}
