import { FindlingError } from "../../../errors/index.js";
import { ChunkedBytes } from "../../bytes/chunked-bytes.js";
import { GrowableBytes } from "../../bytes/growable-bytes.js";
import { releaseBuffer } from "../../bytes/release-buffer.js";
import type { BuildingMemory } from "../../kernels/building-memory.js";
import { DenseDocumentsWriter, sparseDocFreqMax } from "../postings/dense-documents.js";
import { impactNormFactors } from "../postings/impacts.js";
import { addPostingSections } from "../postings/posting-sections.js";
import type { SectionSink } from "../sections.js";
import type { SlicedWork } from "../sliced-work.js";
import { addDictionarySections } from "./term-dictionary.js";
import { writeTermTries } from "./term-tries.js";

/** Tokens, or documents of lists, written between two pauses, and terms: their buffers are as long. */
const TOKENS_PER_STEP = 16_384;
const TERMS_MAX = 8192;
/** Bytes of data, positions and terms after which a call pauses; what one posting or block adds may come on top. */
const DATA_MAX = 1 << 17;
const POSITIONS_MAX = 1 << 16;
const TERM_BYTES_MAX = 1 << 16;
/** More than a block of 128 postings takes. */
const BLOCK_BYTES_MAX = 4096;
/** A step ends as many blocks as it has 128 tokens, and the last block of each list that has blocks. */
const BLOCKS_MAX = (2 * TOKENS_PER_STEP) / 128 + 2;

/** What kernels return that write lists, as `assembly/building/posting-lists.ts` has it. */
const DONE = 0;
const DENSE = 2;
const TOO_MANY = 3;
const WANTS_MORE = 4;

/** Words of the kernels' `Output` that say how much there is, from `COUNTS` on. */
const DATA = 0;
const POSITIONS = 1;
const BLOCKS = 2;
const TERMS = 3;
const TERM_BYTES = 4;

/** Its first words: buffers, of so many bytes, and what is in each, so many bytes by count. Limits come behind them. */
const BUFFERS = [
  ["data", DATA_MAX + 2 * BLOCK_BYTES_MAX, DATA, 1],
  ["positions", 0, POSITIONS, 1],
  ["lastDocs", 4 * BLOCKS_MAX, BLOCKS, 4],
  ["dataOffsets", 4 * BLOCKS_MAX, BLOCKS, 4],
  ["positionOffsets", 4 * BLOCKS_MAX, BLOCKS, 4],
  ["positionGroups", 12 * BLOCKS_MAX, BLOCKS, 12],
  ["docBits", BLOCKS_MAX, BLOCKS, 1],
  ["freqBits", BLOCKS_MAX, BLOCKS, 1],
  ["bounds", 2 * BLOCKS_MAX, BLOCKS, 2],
  ["impacts", 2 * BLOCKS_MAX, BLOCKS, 2],
  ["termBytes", 0, TERM_BYTES, 1],
  ["termEnds", 4 * TERMS_MAX, TERMS, 4],
  ["docFreqs", 4 * TERMS_MAX, TERMS, 4],
  ["references", 4 * TERMS_MAX, TERMS, 4],
  ["positionReferences", 4 * TERMS_MAX, TERMS, 4],
] as const;
const LIMITS = BUFFERS.length;
/** The longest buffers are gathered in chunks; the others' bytes are looked at as numbers. */
const TERM_BYTES_BUFFER = BUFFERS.findIndex(([name]) => name === "termBytes");
const CHUNKED: ReadonlySet<number> = new Set([0, 1, TERM_BYTES_BUFFER]);
const COUNTS = LIMITS + 10;

export interface FieldTermsWriterOptions {
  readonly maxDoc: number;
  readonly norms: Uint8Array;
  readonly positionWidths: Uint8Array;
  readonly averageLength: number;
  /** Tokens of the longest document, bytes of the longest term. */
  readonly lengthMax: number;
  readonly termLengthMax: number;
}

/** Writes a field's posting lists, positions and dictionary, as the kernels of `kernels/assembly/building/` make them. */
export class FieldTermsWriter {
  readonly #memory: BuildingMemory;
  readonly #positionWidths: Uint8Array;
  readonly #output: number;
  readonly #denseBits: number;
  readonly #dense: DenseDocumentsWriter;
  /** What was in the buffers. */
  readonly #chunked: readonly (ChunkedBytes | null)[] = BUFFERS.map((_, buffer) =>
    CHUNKED.has(buffer) ? new ChunkedBytes() : null,
  );
  readonly #written: readonly GrowableBytes[] = BUFFERS.map(() => new GrowableBytes());

  /** Allocates; whoever does must give back. */
  constructor(memory: BuildingMemory, options: FieldTermsWriterOptions) {
    const { maxDoc, norms, positionWidths, averageLength, lengthMax, termLengthMax } = options;
    const { functions } = memory;
    this.#memory = memory;
    this.#positionWidths = positionWidths;
    this.#dense = new DenseDocumentsWriter(maxDoc);
    this.#denseBits = functions.zeros(4 * this.#dense.stride);
    this.#output = functions.newOutput();
    const buffers = BUFFERS.map(([name, bytes]) =>
      functions.allocate(
        name === "positions"
          ? POSITIONS_MAX + 4 * lengthMax + BLOCK_BYTES_MAX
          : name === "termBytes"
            ? TERM_BYTES_MAX + termLengthMax + BLOCK_BYTES_MAX
            : bytes,
      ),
    );
    const head = [
      ...buffers,
      ...[DATA_MAX, POSITIONS_MAX, TERM_BYTES_MAX, TERMS_MAX],
      memory.place(norms),
      memory.place(positionWidths),
      memory.place(impactNormFactors(averageLength)),
      sparseDocFreqMax(maxDoc),
      this.#denseBits,
      4 * this.#dense.stride,
    ];
    memory.words.set(head, this.#output >>> 2);
    functions.beginPostings(this.#output);
  }

  /** Writes the lists of a range of sorted tokens. */
  *writeRange(sorted: number): SlicedWork {
    const { functions } = this.#memory;
    while (this.#take(functions.writePostings(sorted, TOKENS_PER_STEP)) !== DONE) yield;
  }

  /** Writes the lists of inputs that are merged; `refill` puts new windows in place of exhausted ones. */
  *merge(refill: () => void): SlicedWork {
    const { functions } = this.#memory;
    for (;;) {
      const outcome = this.#take(functions.mergePostings(TOKENS_PER_STEP));
      if (outcome === DONE) return;
      if (outcome === WANTS_MORE) refill();
      yield;
    }
  }

  *write(sink: SectionSink, prefix: string): SlicedWork {
    const written = Object.fromEntries(BUFFERS.map(([name], i) => [name, this.#written[i]!])) as Record<
      (typeof BUFFERS)[number][0],
      GrowableBytes
    >;
    addPostingSections(sink, prefix, {
      data: this.#chunked[DATA]!.toPaddedSection(),
      positionData: this.#chunked[POSITIONS]!.toPaddedSection(),
      lastDocs: words(written.lastDocs),
      dataOffsets: words(written.dataOffsets),
      positionOffsets: words(written.positionOffsets),
      positionGroups: words(written.positionGroups),
      docBits: written.docBits.toSection(),
      freqBits: written.freqBits.toSection(),
      positionWidths: this.#positionWidths,
      bounds: shorts(written.bounds),
      impacts: shorts(written.impacts),
    });
    this.#dense.write(sink, prefix);
    const bytes = this.#chunked[TERM_BYTES_BUFFER]!.joined();
    const offsets = new Uint32Array(this.#termCount + 1);
    offsets.set(words(written.termEnds), 1);
    addDictionarySections(sink, prefix, {
      bytes,
      offsets,
      docFreqs: words(written.docFreqs),
      references: words(written.references),
      positionReferences: words(written.positionReferences),
    });
    yield;
    yield* writeTermTries(sink, prefix, bytes, offsets);
    releaseBuffer(bytes.buffer);
  }

  get #termCount(): number {
    return this.#written.at(-1)!.length / 4;
  }

  #take(outcome: number): number {
    if (outcome === TOO_MANY)
      throw new FindlingError("internal", "128 documents have a term more than 2^26 times; split them");
    this.#takeOutput();
    if (outcome === DENSE) this.#takeDense();
    return outcome;
  }

  #takeOutput(): void {
    for (let i = 0; i < BUFFERS.length; i++) this.#takeBuffer(i);
    this.#memory.functions.emptied(this.#output);
  }

  /** In few words, without lists that hold all: as V8 compiled that, it took longer than everything it was run for. */
  #takeBuffer(buffer: number): void {
    const { bytes, words } = this.#memory;
    const head = this.#output >>> 2;
    const count = BUFFERS[buffer]![2];
    const bytesEach = BUFFERS[buffer]![3];
    const length = bytesEach * words[head + COUNTS + count]!;
    if (length === 0) return;
    const address = words[head + buffer]!;
    const written = bytes.subarray(address, address + length);
    (this.#chunked[buffer] ?? this.#written[buffer]!).append(written);
  }

  /** Takes the bits of the term written last. */
  #takeDense(): void {
    const start = this.#denseBits >>> 2;
    const bits = this.#memory.words.subarray(start, start + this.#dense.stride);
    this.#dense.add(this.#termCount - 1, bits);
    bits.fill(0);
  }
}

function words({ words: all, length }: GrowableBytes): Uint32Array {
  return all.subarray(0, length / 4);
}

function shorts({ bytes, length }: GrowableBytes): Uint16Array {
  return new Uint16Array(bytes.buffer, 0, length / 2);
}
