import type { GatheredEvents, OwnMembers, SharedMembers } from "../../ports/event-store.js";
import { asciiRowRoom, writeAsciiRow } from "./ascii-row.js";
import { toRow } from "./event-row.js";
import type { EventQueue } from "./queue/event-queue.js";

/** Bytes at first: some hundred events. */
const LENGTH_LEAST = 64 * 1024;
/** UTF-8 of one UTF-16 unit, at most. */
const BYTES_PER_UNIT = 3;

/** Longer buffers aren't kept: a batch is whole before it is longer. */
const LENGTH_KEPT = 1024 * 1024;

/**
 * The buffer of a batch that is stored, for the next one: others, made anew and grown as rows come, live just long
 * enough to be garbage that the collector has to look through the whole heap for.
 */
export class SpareBuffer {
  #buffer: Buffer | null = null;

  take(): Buffer {
    const buffer = this.#buffer ?? Buffer.allocUnsafeSlow(LENGTH_LEAST);
    this.#buffer = null;
    return buffer;
  }

  giveBack(buffer: Buffer): void {
    if (buffer.length <= LENGTH_KEPT) this.#buffer = buffer;
  }
}

/**
 * Events as the lines that the queue takes, written as they come: what they were made of would live until they are
 * stored, long enough for the garbage collector to copy it twice.
 */
export class GatheredRows implements GatheredEvents {
  readonly #queue: Pick<EventQueue, "append">;
  readonly #spare: SpareBuffer;
  #rows: Buffer;
  #length = 0;
  #count = 0;

  /** @param spare what several of them share, one after the other or not */
  constructor(queue: Pick<EventQueue, "append">, spare: SpareBuffer) {
    this.#queue = queue;
    this.#spare = spare;
    this.#rows = spare.take();
  }

  get count(): number {
    return this.#count;
  }

  get byteLength(): number {
    return this.#length;
  }

  add(own: OwnMembers, shared: SharedMembers): void {
    this.#reserve(asciiRowRoom(own, shared));
    const end = writeAsciiRow(this.#rows, this.#length, own, shared);
    if (end >= 0) {
      this.#length = end;
    } else {
      const row = toRow({ ...shared, ...own });
      this.#reserve(row.length * BYTES_PER_UNIT);
      this.#length += this.#rows.write(row, this.#length, "utf8");
    }
    this.#count++;
  }

  async record(): Promise<void> {
    if (this.#count > 0) await this.#queue.append(this.#rows.subarray(0, this.#length), this.#count);
    this.#spare.giveBack(this.#rows);
    this.#rows = NOTHING;
  }

  #reserve(length: number): void {
    const needed = this.#length + length;
    if (needed <= this.#rows.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#rows.length));
    larger.set(this.#rows.subarray(0, this.#length));
    this.#rows = larger;
  }
}

const NOTHING = Buffer.alloc(0);
