import { MalformedBytesError } from "../../bytes/malformed-bytes-error.js";
import { BuildingMemory } from "../../kernels/building-memory.js";
import { PACKING_MARGIN } from "../../kernels/pack-numbers.js";
import type { UnfoldedSection } from "../sections.js";
import type { SlicedWork } from "../sliced-work.js";
import { reverseTerms, spellTerms } from "./spell-terms.js";
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
  const memory = BuildingMemory.borrow();
  try {
    yield* unfoldIn(memory, folded, name.slice(0, name.indexOf("tries.")), other);
  } catch (error) {
    // The memory can't grow.
    if (!(error instanceof Error && error.name === "RuntimeError")) throw error;
    throw new RangeError(`there is no memory to make '${name}' in`, { cause: error });
  } finally {
    memory.giveBack();
  }
}

function* unfoldIn(
  memory: BuildingMemory,
  folded: Uint8Array,
  prefix: string,
  other: (name: string) => Uint8Array,
): SlicedWork {
  const { functions } = memory;
  const spelled = yield* spellTerms(memory, other(`${prefix}terms.bytes`), other(`${prefix}terms.offsets`));
  if (spelled === null) throw new MalformedBytesError(`'${prefix}tries' are of terms that tries can't hold`);
  const { letters, starts, termCount } = spelled;
  const order = functions.allocate(4 * termCount);
  yield* termsInSlices(termCount, (from, to) => {
    functions.numberTerms(order, from, to);
  });
  yield* build("forward");
  yield* reverseTerms(memory, spelled);
  yield* unpackOrder();
  yield* build("backward");

  function* unpackOrder(): SlicedWork {
    const foldedAt = yield* placeInSlices(memory, folded);
    functions.allocate(PACKING_MARGIN);
    const foldedEnd = foldedAt + folded.length;
    functions.beginNumbers(foldedAt, foldedEnd);
    let end = 0;
    yield* termsInSlices(termCount, (from, to) => {
      end = functions.nextNumbers(order + 4 * from, to - from);
    });
    if (end !== foldedEnd) throw new MalformedBytesError(`'${prefix}tries' have terms in an order of others`);
  }

  function* build(direction: string): SlicedWork {
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
    if (nodes !== nodesMax) throw new MalformedBytesError(`'${name}' has another number of nodes`);
    yield* takeInSlices(memory, labels, other(`${name}.labels`));
    yield* takeInSlices(memory, depths, other(`${name}.depths`));
    yield* takeInSlices(memory, values, other(`${name}.values`));
    functions.releaseTo(top);
  }
}
