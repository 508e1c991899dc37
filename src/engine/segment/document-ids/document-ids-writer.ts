import { FindlingError } from "../../../errors/index.js";
import { GrowableBytes } from "../../bytes/growable-bytes.js";
import { GrowableU32 } from "../../bytes/growable-u32.js";
import type { DocumentId } from "../../schema/document.js";
import type { SectionSink } from "../sections.js";
import type { SlicedWork } from "../sliced-work.js";
import {
  DOCUMENT_ID_BYTES,
  documentIdOf,
  ID_PREFIX_BYTES,
  invalidDocumentId,
  suffixIn,
  suffixOf,
  writeDocumentId,
} from "./document-id-bytes.js";
import { IdRuns } from "./id-runs.js";

/** Collects the ids of doc ids 0, 1, 2 … in that order. */
export class DocumentIdsWriter {
  /** Neighbours with the same first bytes are a run: its first doc id, and these bytes. */
  readonly #runStarts = new GrowableU32();
  readonly #prefixes = new GrowableBytes();
  /** By doc id: the last four bytes as a number. */
  readonly #suffixes = new GrowableU32();
  readonly #id: Uint8Array = new Uint8Array(DOCUMENT_ID_BYTES);
  /** Digits of the run that the last id is in, if it came as text. */
  #prefix = "";

  get count(): number {
    return this.#suffixes.length;
  }

  /** Memory taken, with what `write` will take. */
  get bytesUsed(): number {
    return this.#suffixes.array.length * 4 + this.#runStarts.array.length * 4 + this.#prefixes.bytes.length;
  }

  /** @throws FindlingError `internal` if the id isn't 32 lower-case hex digits; nothing is added then */
  add(id: DocumentId): void {
    if (this.#prefix !== "" && id.startsWith(this.#prefix)) {
      const suffix = suffixOf(id);
      if (suffix < 0) throw invalidDocumentId(id);
      this.#suffixes.push(suffix);
      return;
    }
    if (!writeDocumentId(id, this.#id, 0)) throw invalidDocumentId(id);
    this.addBytes(this.#id);
    this.#prefix = id.slice(0, 2 * ID_PREFIX_BYTES);
  }

  /** Adds an id as its 16 bytes. */
  addBytes(id: Uint8Array): void {
    this.#prefix = "";
    if (!this.#continuesRun(id)) {
      this.#runStarts.push(this.count);
      const prefixes = this.#prefixes;
      prefixes.reserve(ID_PREFIX_BYTES);
      for (let i = 0; i < ID_PREFIX_BYTES; i++) prefixes.bytes[prefixes.length + i] = id[i]!;
      prefixes.length += ID_PREFIX_BYTES;
    }
    this.#suffixes.push(suffixIn(id));
  }

  /**
   * Adds the sections.
   *
   * @throws FindlingError `internal` if an id was added twice
   */
  *write(sink: SectionSink): SlicedWork {
    const runs = new IdRuns(
      this.#runStarts.toSection(),
      this.#prefixes.toSection(),
      this.#suffixes.toSection(),
    );
    const order = runs.isAscending() ? null : runs.sorted();
    yield;
    const twice = order === null ? -1 : runs.firstRepeated(order);
    if (twice >= 0) {
      const id = new Uint8Array(DOCUMENT_ID_BYTES);
      runs.writeId(twice, id);
      throw new FindlingError("internal", `document id '${documentIdOf(id)}' is in a segment twice`);
    }
    sink.addNumbers("ids.runs", runs.starts);
    sink.add("ids.prefixes", runs.prefixes);
    sink.addNumbers("ids.suffixes", runs.suffixes);
    if (order !== null) sink.addNumbers("ids.order", order);
  }

  #continuesRun(id: Uint8Array): boolean {
    const { bytes, length } = this.#prefixes;
    if (length === 0) return false;
    const last = length - ID_PREFIX_BYTES;
    for (let i = 0; i < ID_PREFIX_BYTES; i++) if (bytes[last + i] !== id[i]) return false;
    return true;
  }
}
