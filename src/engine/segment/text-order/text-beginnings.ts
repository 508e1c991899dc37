import { MalformedBytesError, readingFile } from "../../bytes/malformed-bytes-error.js";
import type { BuildingMemory } from "../../kernels/building-memory.js";
import type { EngineField } from "../../schema/engine-schema.js";
import type { BlockViewer } from "../doc-store/copy-documents.js";
import { BLOCK_HEADER_LENGTH, blockHeader, CODEC_RAW } from "../doc-store/doc-store-format.js";
import type { DocStoreReader } from "../doc-store/doc-store-reader.js";
import type { TextOrder } from "../segment-reader.js";
import { foldedText } from "./text-member.js";
import { rankCount } from "./text-order-reader.js";

/** A segment whose documents go into the merged one. */
export interface TextOrderSource {
  readonly documents: DocStoreReader;
  /** Old doc id to new, -1 for a document that is dropped. */
  readonly docMap: Int32Array;
  /** The ranks of a field's values, null if there are none. */
  textOrder(field: string): TextOrder | null;
}

/** Fields whose values are found at a time: a bit each. */
export const FIELDS_MAX = 32;
/** What an entry takes besides the beginning: its length, and a hash. */
const ENTRY_OVERHEAD = 9;
/** Bytes behind what kernels read and write that they may touch. */
const MARGIN = 32;
/** Entries are written to pieces of memory of about this length. */
const PIECE_BYTES = 1 << 18;
/** Words of a `Member`, and of a place. */
const MEMBER_WORDS = 3;
const PLACE_WORDS = 2;

/** One field's values in one source. */
export interface FieldBeginnings {
  readonly source: TextOrderSource;
  readonly ranks: Uint32Array;
  /** The greatest. */
  readonly rankCount: number;
  /** In the memory, by rank: the address of the entry, 0 for none; see `assembly/building/member-beginnings.ts`. */
  readonly entries: number;
}

/**
 * How the values of some fields begin, one for each rank that a kept document has: read from the blocks of
 * document stores by kernels.
 */
export class TextBeginnings {
  readonly fields: readonly EngineField[];
  readonly #memory: BuildingMemory;
  readonly #sources: readonly TextOrderSource[];
  readonly #bytesMax: number;
  /** By source, by field. */
  readonly #parts: readonly (readonly (FieldBeginnings | null)[])[];
  /** Regions that grow with the longest block. */
  readonly #payload = { address: 0, length: 0 };
  readonly #records = { address: 0, length: 0 };
  readonly #wanted = { address: 0, length: 0 };
  readonly #places = { address: 0, length: 0 };
  /** What all entries take. */
  entryBytes = 0;
  /** Where the next entry goes, and where its piece ends. */
  #free = 0;
  #limit = 0;

  /** @param bytesMax kept of each value, a multiple of 8 and at most 248 */
  constructor(
    memory: BuildingMemory,
    fields: readonly EngineField[],
    sources: readonly TextOrderSource[],
    bytesMax: number,
  ) {
    this.fields = fields;
    this.#memory = memory;
    this.#sources = sources;
    this.#bytesMax = bytesMax;
    this.#parts = sources.map((source) => fields.map((field) => newPart(memory, source, field)));
    const { functions } = memory;
    const members = functions.newMembers(fields.length);
    fields.forEach(({ name, stored }, i) => {
      const key = new TextEncoder().encode(JSON.stringify(name));
      const address = memory.place(key);
      memory.words.set([address, key.length, stored ? 0 : 1], (members >>> 2) + i * MEMBER_WORDS);
    });
    functions.useMembers(members, fields.length, bytesMax);
  }

  /** A field's values in all sources that have any. */
  of(field: EngineField): FieldBeginnings[] {
    const at = this.fields.indexOf(field);
    return this.#parts.flatMap((parts) => parts[at] ?? []);
  }

  /** Whether a field has a rank without entry in a block: whether it is worth to be seen. */
  wants(source: number, block: number): boolean {
    const { documents, docMap } = this.#sources[source]!;
    const end = documents.blockEndDoc(block);
    for (const part of this.#parts[source]!) {
      if (part === null) continue;
      const { words } = this.#memory;
      const entries = part.entries >>> 2;
      for (let docId = documents.blockFirstDoc(block); docId < end; docId++) {
        const rank = part.ranks[docId]!;
        if (rank !== 0 && docMap[docId]! >= 0 && words[entries + rank] === 0) return true;
      }
    }
    return false;
  }

  viewerOf(source: number): BlockViewer {
    const { documents, docMap } = this.#sources[source]!;
    const parts = this.#parts[source]!;
    return {
      see: (block, bytes) => {
        const first = documents.blockFirstDoc(block);
        const count = documents.blockEndDoc(block) - first;
        const wanted = this.#room(this.#wanted, 4 * count);
        const places = this.#room(this.#places, 4 * PLACE_WORDS * parts.length * count);
        if (!this.#mark(parts, docMap, first, count, wanted >>> 2)) return;
        readingFile(documents.fileName, () => {
          this.#read(block, bytes, count, wanted, places);
          this.#take(parts, first, count, wanted >>> 2, places >>> 2);
        });
      },
    };
  }

  /** Sets per document the bits of fields whose value has a rank without entry; false if there are none. */
  #mark(
    parts: readonly (FieldBeginnings | null)[],
    docMap: Int32Array,
    first: number,
    count: number,
    wanted: number,
  ): boolean {
    const { words } = this.#memory;
    let all = 0;
    for (let i = 0; i < count; i++) words[wanted + i] = 0;
    for (let field = 0; field < parts.length; field++) {
      const part = parts[field]!;
      if (part === null) continue;
      const { ranks } = part;
      const entries = part.entries >>> 2;
      for (let i = 0; i < count; i++) {
        const rank = ranks[first + i]!;
        if (rank === 0 || docMap[first + i]! < 0 || words[entries + rank] !== 0) continue;
        words[wanted + i]! |= 1 << field;
        all++;
      }
    }
    return all > 0;
  }

  /** Decompresses a block, and writes the entries that are wanted. */
  #read(block: number, bytes: Uint8Array, count: number, wanted: number, places: number): void {
    const memory = this.#memory;
    const { functions } = memory;
    const { codec, rawLength } = blockHeader(bytes, 0, block, bytes.length);
    const payload = bytes.subarray(BLOCK_HEADER_LENGTH);
    const records = this.#room(this.#records, rawLength);
    if (codec === CODEC_RAW) {
      memory.bytes.set(payload, records);
    } else {
      const source = this.#room(this.#payload, payload.length);
      memory.bytes.set(payload, source);
      if (functions.decodeBlock(source, payload.length, records, rawLength) === 0)
        throw new MalformedBytesError(`block ${block} isn't what its header says`);
    }
    this.#roomForEntries(count * this.fields.length);
    memory.words.fill(0, places >>> 2, (places >>> 2) + PLACE_WORDS * this.fields.length * count);
    const end = functions.readBeginnings(records, records + rawLength, count, wanted, places, this.#free);
    if (end === 0)
      throw new MalformedBytesError(
        `block ${block} doesn't hold its documents with the texts that have ranks`,
      );
    this.entryBytes += end - this.#free;
    this.#free = end;
  }

  /** Notes where the entries are. */
  #take(
    parts: readonly (FieldBeginnings | null)[],
    first: number,
    count: number,
    wanted: number,
    places: number,
  ): void {
    const { words } = this.#memory;
    for (let i = 0; i < count; i++) {
      const mask = words[wanted + i]!;
      if (mask === 0) continue;
      for (let field = 0; field < parts.length; field++) {
        if ((mask & (1 << field)) === 0) continue;
        const { entries, ranks } = parts[field]!;
        const place = places + PLACE_WORDS * (i * parts.length + field);
        const entry = words[place]!;
        words[(entries >>> 2) + ranks[first + i]!] =
          entry === 0 ? this.#fold(this.fields[field]!, words[place + 1]!) : entry;
      }
    }
  }

  /** Writes the entry of a text that has more than ASCII, by its opening quote; there is room for it. */
  #fold({ composed }: EngineField, quote: number): number {
    const { bytes, functions } = this.#memory;
    const text = foldedText(bytes, quote, composed === true).subarray(0, this.#bytesMax);
    const entry = this.#free;
    bytes[entry] = text.length;
    bytes.set(text, entry + 1);
    this.#free += 1 + text.length;
    if (text.length === this.#bytesMax) {
      functions.writeHash(quote + 1, this.#records.address + this.#records.length, this.#free);
      this.#free += 8;
    }
    this.entryBytes += this.#free - entry;
    return entry;
  }

  #roomForEntries(count: number): void {
    const bytes = count * (this.#bytesMax + ENTRY_OVERHEAD);
    if (this.#free + bytes <= this.#limit) return;
    const length = Math.max(bytes, PIECE_BYTES);
    this.#free = this.#memory.functions.allocate(length + MARGIN);
    this.#limit = this.#free + length;
  }

  #room(region: { address: number; length: number }, length: number): number {
    if (region.length < length || region.address === 0) {
      region.length = Math.max(length, 2 * region.length);
      region.address = this.#memory.functions.allocate(region.length + MARGIN);
    }
    return region.address;
  }
}

function newPart(
  memory: BuildingMemory,
  source: TextOrderSource,
  field: EngineField,
): FieldBeginnings | null {
  const order = source.textOrder(field.name);
  if (order === null) return null;
  const count = rankCount(order.ranks);
  return { source, ranks: order.ranks, rankCount: count, entries: memory.functions.zeros(4 * (count + 1)) };
}
