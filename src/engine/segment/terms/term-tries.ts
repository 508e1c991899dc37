import { CorruptionError } from "../../../errors/index.js";
import { namingFile } from "../../bytes/malformed-bytes-error.js";
import { packNumbers } from "../../kernels/pack-numbers.js";
import { type Deferred, SECTION_ENCODINGS, type SectionSink, type SectionSource } from "../sections.js";
import type { TermTrie, TermTries } from "../segment-reader.js";
import type { SlicedWork } from "../sliced-work.js";
import { trieShapes } from "./trie-shapes.js";

/** Marks a trie value as a leaf's: the rest is the term's ordinal. */
export const TRIE_LEAF = 0x8000_0000;

/**
 * Writes the forward and backward trie of a field's terms (well-formed UTF-8, ascending), or nothing
 * if tries can't hold them. The terms' own sections must have been added before.
 */
export function* writeTermTries(
  sink: SectionSink,
  prefix: string,
  bytes: Uint8Array,
  offsets: Uint32Array,
): SlicedWork {
  const shape = yield* trieShapes(bytes, offsets);
  if (shape === null) return;
  sink.addNumbers(`${prefix}tries.alphabet`, shape.alphabet);
  addTrie(sink, `${prefix}tries.forward`, shape.forwardNodes, packNumbers(shape.backwardOrder));
  addTrie(sink, `${prefix}tries.backward`, shape.backwardNodes, null);
}

/** @param folded what both tries are made of, null for the one that is made together with the other */
function addTrie(sink: SectionSink, name: string, nodes: number, folded: Uint8Array | null): void {
  const { tries, withAnother } = SECTION_ENCODINGS;
  const nothing = new Uint8Array(0);
  sink.addFolded(`${name}.labels`, folded === null ? withAnother : tries, folded ?? nothing, 2 * nodes);
  sink.addFolded(`${name}.depths`, withAnother, nothing, nodes);
  sink.addFolded(`${name}.values`, withAnother, nothing, 4 * nodes);
}

/** @throws CorruptionError naming `fileName` if a trie's arrays differ in length */
export function openTermTries(source: SectionSource, prefix: string, fileName: string): TermTries | null {
  if (!source.has(`${prefix}tries.alphabet`)) return null;
  return new OpenTermTries(source, prefix, fileName);
}

class OpenTermTries implements TermTries {
  readonly alphabet: Uint32Array;
  readonly #forward: TermTrie;
  readonly #backward: TermTrie;
  readonly #deferred: Deferred | null;
  readonly #fileName: string;

  constructor(source: SectionSource, prefix: string, fileName: string) {
    this.alphabet = source.u32(`${prefix}tries.alphabet`);
    this.#forward = openTrie(source, `${prefix}tries.forward`, fileName);
    this.#backward = openTrie(source, `${prefix}tries.backward`, fileName);
    this.#deferred = source.deferred(`${prefix}tries.forward.labels`);
    this.#fileName = fileName;
  }

  get forward(): TermTrie {
    this.#expectMade();
    return this.#forward;
  }

  get backward(): TermTrie {
    this.#expectMade();
    return this.#backward;
  }

  get areMade(): boolean {
    return this.#deferred === null || this.#deferred.isMade;
  }

  *make(): SlicedWork {
    if (this.#deferred === null || this.#deferred.isMade) return;
    try {
      yield* this.#deferred.make();
    } catch (error) {
      throw namingFile(this.#fileName, error);
    }
  }

  #expectMade(): void {
    if (!this.areMade) throw new Error("tries are read before they are made");
  }
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
