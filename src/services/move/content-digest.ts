import type { CanonicalValue } from "../../contract/canonical-value.js";
import { writeJson } from "../../json/exact-json.js";
import type { MovedDocument } from "../../ports/moved-storage.js";

/** How many documents there are, and a checksum over all of them with their ids, in their order. */
export interface ContentDigest {
  readonly documents: number;
  /** 64 hex digits. */
  readonly checksum: string;
}

/** Takes bytes, and says in the end what they come to; SHA-256. */
export interface Hash {
  update(text: string): unknown;
  digest(encoding: "hex"): string;
}

/** Adds documents up as they pass by. */
export class DigestedDocuments {
  readonly #hash: Hash;
  #count = 0;

  constructor(hash: Hash) {
    this.#hash = hash;
  }

  async *passing(batches: AsyncIterable<readonly MovedDocument[]>): AsyncGenerator<readonly MovedDocument[]> {
    for await (const batch of batches) {
      for (const { id, document } of batch) this.#hash.update(`${id} ${orderedJson(document)}\n`);
      this.#count += batch.length;
      yield batch;
    }
  }

  /** To be called once. */
  end(): ContentDigest {
    return { documents: this.#count, checksum: this.#hash.digest("hex") };
  }
}

/** JSON that is the same for values that are, in whatever order storage keeps their members. */
function orderedJson(value: CanonicalValue): string {
  return writeJson(ordered(value));
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, each]) => [name, ordered(each)]));
}
