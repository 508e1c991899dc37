import { CorruptionError } from "../../../errors/index.js";
import { bitWidth, readStreamAt, streamByteLength } from "../../bytes/bit-packing.js";
import { fieldNormCode } from "../../bytes/field-norm.js";
import { SECTION_PADDING } from "../../bytes/growable-bytes.js";
import { BuildingMemory } from "../../kernels/building-memory.js";
import { SECTION_ENCODINGS, type SectionSink, type SectionSource } from "../sections.js";

/** What a field's lengths add up to, deleted documents included. */
export interface FieldLengthTotals {
  readonly docsWithTokens: number;
  readonly tokens: number;
  /** Tokens per document that has one at least; 0 if none has. */
  readonly averageLength: number;
}

/** What lengths add up to that are about to be written. */
export interface MeasuredLengths extends FieldLengthTotals {
  /** Tokens of the longest document. */
  readonly longest: number;
}

/** Words of the section `lengths.header`, see FORMAT.md. */
const HEADER_WORDS = 4;

/** In one loop: it runs once for a field, and each loop of its own would be compiled for that. */
export function totalLengths(lengths: Uint32Array, maxDoc: number): MeasuredLengths {
  let docsWithTokens = 0;
  let tokens = 0;
  let longest = 0;
  for (let docId = 0; docId < maxDoc; docId++) {
    const length = lengths[docId]!;
    if (length === 0) continue;
    docsWithTokens++;
    tokens += length;
    if (length > longest) longest = length;
  }
  const averageLength = docsWithTokens === 0 ? 0 : tokens / docsWithTokens;
  return { docsWithTokens, tokens, averageLength, longest };
}

/** One norm code per doc id. */
export function normsOf(lengths: Uint32Array, maxDoc: number): Uint8Array {
  const norms = new Uint8Array(maxDoc);
  for (let docId = 0; docId < maxDoc; docId++) norms[docId] = fieldNormCode(lengths[docId]!);
  return norms;
}

/** Writes the exact lengths of doc ids 0 to `norms.length - 1`, their totals, and the norms. */
export function writeFieldLengths(
  sink: SectionSink,
  prefix: string,
  lengths: Uint32Array,
  norms: Uint8Array,
  totals: MeasuredLengths,
): void {
  const bits = bitWidth(totals.longest);
  const packed = packLengths(lengths, norms.length, bits);
  const tokensHigh = Math.floor(totals.tokens / 0x1_0000_0000);
  sink.add(
    `${prefix}lengths.header`,
    Uint32Array.of(bits, totals.docsWithTokens, totals.tokens - tokensHigh * 0x1_0000_0000, tokensHigh),
  );
  sink.add(`${prefix}lengths.packed`, packed);
  sink.addFolded(`${prefix}norms`, SECTION_ENCODINGS.norms, new Uint8Array(0), norms.length);
}

function packLengths(lengths: Uint32Array, maxDoc: number, bits: number): Uint8Array {
  const bytes = streamByteLength(maxDoc, bits) + SECTION_PADDING;
  const memory = BuildingMemory.borrow();
  try {
    const values = memory.place(lengths.subarray(0, maxDoc));
    const target = memory.functions.zeros(bytes);
    memory.functions.packStream(values, maxDoc, bits, target);
    return memory.bytes.slice(target, target + bytes);
  } finally {
    memory.giveBack();
  }
}

/** Exact lengths in tokens and norm codes of a field's documents. */
export class FieldLengths {
  readonly norms: Uint8Array;
  readonly totals: FieldLengthTotals;
  readonly #packed: Uint8Array;
  readonly #bits: number;

  /** @throws CorruptionError naming `fileName` if the sections don't fit `maxDoc` documents */
  constructor(source: SectionSource, prefix: string, maxDoc: number, fileName: string) {
    const header = source.u32(`${prefix}lengths.header`);
    this.norms = source.u8(`${prefix}norms`);
    this.#packed = source.u8(`${prefix}lengths.packed`);
    this.#bits = header[0] ?? 0;
    const docsWithTokens = header[1] ?? 0;
    const tokens = (header[2] ?? 0) + (header[3] ?? 0) * 0x1_0000_0000;
    if (
      header.length !== HEADER_WORDS ||
      this.#bits > 32 ||
      this.norms.length !== maxDoc ||
      this.#packed.length < streamByteLength(maxDoc, this.#bits)
    ) {
      throw new CorruptionError(fileName, `sections '${prefix}lengths' don't fit ${maxDoc} documents`);
    }
    this.totals = {
      docsWithTokens,
      tokens,
      averageLength: docsWithTokens === 0 ? 0 : tokens / docsWithTokens,
    };
  }

  /** Tokens of a document's field. */
  lengthOf(docId: number): number {
    return readStreamAt(this.#packed, this.#bits, docId);
  }
}
