import { noRoomForBody } from "./no-room-for-body.js";
import { type BodyMemory, DOCUMENT_BOUNDS, parseJsonBody } from "./parse-json-body.js";

/** A body of documents that nobody has looked into yet: JSON, as far as its content type says so. */
export class UnreadBody {
  /** In a buffer of their own, so that they can be handed to another thread; empty from then on. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly #memory: BodyMemory & { readonly limit: number };

  /** @param memory that the body may take; its limit is in bytes, what it holds included */
  constructor(bytes: Uint8Array<ArrayBuffer>, memory: BodyMemory & { readonly limit: number }) {
    this.bytes = bytes;
    this.#memory = memory;
  }

  /** What it may take in memory in all, its values included, as things are now. */
  get memoryMax(): number {
    return this.#memory.limit;
  }

  /** Its value, where all of it is wanted in this thread. The bytes are of no use afterwards. @throws as `parseJsonBody` */
  parsed(): Promise<unknown> {
    return parseJsonBody(asBuffer(this.bytes), { memory: this.#memory, bounds: DOCUMENT_BOUNDS });
  }

  /**
   * For a request that fails anyhow: what is wrong with the body comes first (contract 1.6). The bytes are
   * of no use afterwards.
   *
   * @throws FindlingError as `parseJsonBody`
   */
  async requireJson(): Promise<void> {
    await this.parsed();
  }
}

export function memoryUpTo(bytesMax: number): BodyMemory {
  return {
    raiseTo(bytes) {
      if (bytes > bytesMax) throw noRoomForBody();
    },
  };
}

/** A view of the bytes as they are. */
export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
