import { MalformedBytesError } from "../../bytes/malformed-bytes-error.js";
import { unpackNumbers } from "../../bytes/packed-numbers.js";
import type { UnfoldedSection } from "../sections.js";
import type { SlicedWork } from "../sliced-work.js";
import { u32OfBytes } from "../u32-of-bytes.js";
import { buildTrie, type TrieArrays } from "./build-trie.js";
import { reverseTerms, spellTerms } from "./term-letters.js";

/**
 * Builds both tries of a field's terms, of which the file holds only in which order the terms are when
 * they are read backward.
 */
export function* unfoldTries(folded: Uint8Array, { name, other }: UnfoldedSection): SlicedWork {
  const prefix = name.slice(0, name.indexOf("tries."));
  const spelled = spellTerms(other(`${prefix}terms.bytes`), u32OfBytes(other(`${prefix}terms.offsets`)));
  if (spelled === null) throw new MalformedBytesError(`'${prefix}tries' are of terms that tries can't hold`);
  yield;
  const { letters, starts } = spelled;
  const order = new Uint32Array(starts.length - 1);
  for (let term = 0; term < order.length; term++) order[term] = term;
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

function arraysOf(other: (name: string) => Uint8Array, name: string): TrieArrays {
  const labels = other(`${name}.labels`);
  return {
    labels: new Uint16Array(labels.buffer, labels.byteOffset, labels.byteLength >>> 1),
    depths: other(`${name}.depths`),
    values: u32OfBytes(other(`${name}.values`)),
  };
}
