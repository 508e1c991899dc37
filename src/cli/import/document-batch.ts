import { createHash, type Hash } from "node:crypto";
import type { ImportRecord } from "./import-source.js";

/** Documents that go to the server in one request. */
export interface DocumentBatch {
  /** Records of the input up to the end of this batch, bad and skipped ones included. */
  readonly endRecord: number;
  /** The checksum of all those records' bytes. */
  readonly checksum: string;
  /** JSON texts and the places they came from, in step. */
  readonly texts: readonly string[];
  readonly places: readonly string[];
  /** Characters of all texts. */
  readonly length: number;
}

export interface BatchLimits {
  readonly documents: number;
  /** Characters; a batch ends with the document that reaches it. */
  readonly length: number;
}

export const BATCH_LIMITS: BatchLimits = { documents: 1_000, length: 4 * 1024 * 1024 };

/** SHA-256 over records in order, with a value after each of them. */
export class RecordChecksum {
  readonly #hash: Hash = createHash("sha256");
  #records = 0;

  get records(): number {
    return this.#records;
  }

  add(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    // Keeps two records apart from one that is both in a row.
    this.#hash.update("\n");
    this.#records++;
  }

  /** The checksum of everything so far; more may be added. */
  value(): string {
    return this.#hash.copy().digest("hex");
  }
}

/** Gathers documents into batches and numbers what goes by. */
export class BatchBuilder {
  readonly #limits: BatchLimits;
  readonly #checksum: RecordChecksum;
  #texts: string[] = [];
  #places: string[] = [];
  #length = 0;
  #uncutRecords = 0;

  /** The checksum has taken in the records before the first one added here. */
  constructor(checksum: RecordChecksum, limits: BatchLimits = BATCH_LIMITS) {
    this.#checksum = checksum;
    this.#limits = limits;
  }

  /** Takes in one record; one with a problem only counts. A batch, if this record filled it. */
  add(record: ImportRecord): DocumentBatch | undefined {
    this.#checksum.add(record.bytes);
    this.#uncutRecords++;
    if (record.parsed.problem !== undefined) return undefined;
    this.#texts.push(record.parsed.json);
    this.#places.push(record.place);
    this.#length += record.parsed.json.length;
    const isFull = this.#texts.length >= this.#limits.documents || this.#length >= this.#limits.length;
    return isFull ? this.#cut() : undefined;
  }

  /** What is left at the end of the input, perhaps only skipped records. */
  finish(): DocumentBatch | undefined {
    return this.#uncutRecords === 0 ? undefined : this.#cut();
  }

  #cut(): DocumentBatch {
    const batch: DocumentBatch = {
      endRecord: this.#checksum.records,
      checksum: this.#checksum.value(),
      texts: this.#texts,
      places: this.#places,
      length: this.#length,
    };
    this.#texts = [];
    this.#places = [];
    this.#length = 0;
    this.#uncutRecords = 0;
    return batch;
  }
}
