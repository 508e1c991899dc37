import { BLOCK_SIZE } from "../../bytes/bit-packing.js";
import type { BuildingMemory } from "../../kernels/building-memory.js";
import type { FieldTermsReader } from "./field-terms-reader.js";

/** Terms, and bytes of positions, of a window at most; one term may have more. */
const TERMS_MAX = 4096;
const POSITION_BYTES_MAX = 1 << 18;
/** Bytes behind what is copied that kernels may read. */
const MARGIN = 16;
const REGION_BYTES_MIN = 1 << 16;

/** Words of the kernels' `MergeInput`; from the third on come pointers. */
const TERM = 0;
const TERM_COUNT = 1;
const HAS_MORE = 2;
const DOCUMENTS = 14;

/** What of a segment's field is in the kernels' memory while it is merged: some of its terms with their lists. */
export class MergeWindow {
  readonly #memory: BuildingMemory;
  readonly #input: number;
  readonly #reader: FieldTermsReader;
  /** The segment's term behind the window. */
  #end = 0;
  #region = 0;
  #regionBytes = 0;
  #used = 0;

  /** Empty at first; allocates. @param input where the kernels want to know of it */
  constructor(memory: BuildingMemory, input: number, reader: FieldTermsReader, docMap: Int32Array) {
    this.#memory = memory;
    this.#input = input;
    this.#reader = reader;
    const base = baseOf(docMap);
    const widths = memory.place(reader.postingSections.positionWidths);
    const documents = [widths, base === null ? memory.place(docMap) : 0, base ?? 0];
    memory.words.set(documents, (input >>> 2) + DOCUMENTS);
    memory.words[(input >>> 2) + HAS_MORE] = reader.termCount > 0 ? 1 : 0;
  }

  get wantsMore(): boolean {
    const at = this.#input >>> 2;
    const { words } = this.#memory;
    return words[at + TERM] === words[at + TERM_COUNT] && words[at + HAS_MORE] === 1;
  }

  /** Goes on to the terms behind the window. */
  fill(): void {
    const { dictionary, postingSections: sections, termCount } = this.#reader;
    const { docFreqs, references, positionReferences } = dictionary;
    const start = this.#end;
    let end = start + 1;
    let hasBlocks = docFreqs[start]! >= BLOCK_SIZE;
    const positionStart = positionReferences[start]!;
    while (
      end < termCount &&
      end - start < TERMS_MAX &&
      positionReferences[end]! - positionStart < POSITION_BYTES_MAX
    ) {
      if (docFreqs[end]! >= BLOCK_SIZE) hasBlocks = true;
      end++;
    }
    this.#end = end;
    const positionEnd = end < termCount ? positionReferences[end]! : sections.positionData.length;
    const dataStart = this.#dataBehind(start);
    const dataEnd = Math.max(dataStart, this.#dataBehind(end));
    const [firstBlock, endBlock] = hasBlocks ? this.#blocksOf(start, end) : [0, 0];
    const parts = [
      [dictionary.offsets, start, end + 1, start],
      [docFreqs, start, end, start],
      [references, start, end, start],
      [positionReferences, start, end, start],
      [dictionary.bytes, dictionary.offsets[start]!, dictionary.offsets[end]!, 0],
      [sections.data, dataStart, dataEnd, 0],
      [sections.positionData, positionStart, positionEnd, 0],
      [sections.dataOffsets, firstBlock, endBlock, 0],
      [sections.positionOffsets, firstBlock, endBlock, 0],
      [sections.docBits, firstBlock, endBlock, 0],
      [sections.freqBits, firstBlock, endBlock, 0],
    ] as const;
    this.#reserve(
      parts.reduce((sum, [array, from, to]) => sum + (to - from) * array.BYTES_PER_ELEMENT + MARGIN, 0),
    );
    // By the window's terms, but by offset or block of the segment.
    const pointers = parts.map(
      ([array, from, to, origin]) =>
        (this.#copy(array.subarray(from, to)) - (from - origin) * array.BYTES_PER_ELEMENT) >>> 0,
    );
    this.#memory.words.set([0, end - start, end < termCount ? 1 : 0, ...pointers], this.#input >>> 2);
  }

  /** Where data begins that is of the first list to have some, from a term on. */
  #dataBehind(term: number): number {
    const { dictionary, postingSections, termCount } = this.#reader;
    let next = term;
    while (next < termCount && dictionary.docFreqs[next] === 1) next++;
    if (next === termCount) return postingSections.data.length;
    const reference = dictionary.references[next]!;
    return dictionary.docFreqs[next]! < BLOCK_SIZE ? reference : postingSections.dataOffsets[reference]!;
  }

  /** The first block of these terms, and the one behind their last; one of the terms has blocks. */
  #blocksOf(start: number, end: number): readonly [number, number] {
    const { docFreqs, references } = this.#reader.dictionary;
    let first = start;
    while (docFreqs[first]! < BLOCK_SIZE) first++;
    let last = end - 1;
    while (docFreqs[last]! < BLOCK_SIZE) last--;
    return [references[first]!, references[last]! + Math.ceil(docFreqs[last]! / BLOCK_SIZE)];
  }

  #reserve(bytes: number): void {
    this.#used = 0;
    if (bytes <= this.#regionBytes) return;
    this.#regionBytes = Math.max(bytes, 2 * this.#regionBytes, REGION_BYTES_MIN);
    this.#region = this.#memory.functions.allocate(this.#regionBytes);
  }

  /** Returns where it is: at a multiple of 16 as far as it matters, with a margin behind. */
  #copy(array: Uint8Array | Uint32Array): number {
    const address = this.#region + this.#used;
    this.#memory.bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), address);
    this.#used += array.byteLength + MARGIN;
    return address;
  }
}

/** What is added to each doc id, if none is dropped; else null. */
function baseOf(docMap: Int32Array): number | null {
  const base = docMap[0]!;
  if (base < 0) return null;
  for (let docId = 0; docId < docMap.length; docId++) if (docMap[docId] !== base + docId) return null;
  return base;
}
