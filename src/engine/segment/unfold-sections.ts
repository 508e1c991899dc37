import { MalformedBytesError } from "../bytes/malformed-bytes-error.js";
import { unpackNumbers } from "../kernels/pack-numbers.js";
import { unfoldLongs } from "./columns/fold-longs.js";
import { unfoldNorms } from "./field-norms/unfold-norms.js";
import { unfoldDenseRanks } from "./postings/unfold-dense-ranks.js";
import { SECTION_ENCODINGS, type Unfold } from "./sections.js";
import { unfoldFrontCoded } from "./strings/front-coding.js";
import { unfoldPositionReferences, unfoldReferences } from "./terms/fold-references.js";
import { unfoldTries } from "./terms/unfold-tries.js";

/** By encoding; FORMAT.md says what each makes of what. */
const UNFOLDS: ReadonlyMap<number, Unfold> = new Map<number, Unfold>([
  [SECTION_ENCODINGS.bytes, unfoldNumbers((target) => target)],
  [SECTION_ENCODINGS.shorts, unfoldNumbers((target) => new Uint16Array(...wordsOf(target, 2)))],
  [SECTION_ENCODINGS.words, unfoldNumbers((target) => new Uint32Array(...wordsOf(target, 4)))],
  [SECTION_ENCODINGS.longs, unfoldLongs],
  [SECTION_ENCODINGS.frontCoded, unfoldFrontCoded],
  [SECTION_ENCODINGS.references, unfoldReferences],
  [SECTION_ENCODINGS.positionReferences, unfoldPositionReferences],
  [SECTION_ENCODINGS.norms, unfoldNorms],
  [SECTION_ENCODINGS.denseRanks, unfoldDenseRanks],
  [SECTION_ENCODINGS.tries, unfoldTries],
  [SECTION_ENCODINGS.withAnother, () => null],
]);

/** How a section of this encoding is made. @throws MalformedBytesError if there is no such encoding */
export function unfoldOf(encoding: number): Unfold {
  const unfold = UNFOLDS.get(encoding);
  if (unfold === undefined) throw new MalformedBytesError(`a section has an unknown encoding ${encoding}`);
  return unfold;
}

function unfoldNumbers(view: (target: Uint8Array) => Uint8Array | Uint16Array | Uint32Array): Unfold {
  return (folded, { target }) => {
    unpackNumbers(folded, view(target));
    return null;
  };
}

function wordsOf(target: Uint8Array, width: number): [ArrayBufferLike, number, number] {
  return [target.buffer, target.byteOffset, Math.floor(target.byteLength / width)];
}
