import type { GatheredEvents, OwnMembers, SharedMembers } from "../../ports/event-store.js";
import { toAsciiRow, toRow } from "./event-row.js";
import type { EventQueue } from "./queue/event-queue.js";

/** Bytes at first: some hundred events. */
const LENGTH_LEAST = 64 * 1024;
/** UTF-8 of one UTF-16 unit, at most. */
const BYTES_PER_UNIT = 3;

/**
 * Events as the lines that the queue takes, written as they come: what they were made of would live until they are
 * stored, long enough for the garbage collector to copy it twice.
 */
export class GatheredRows implements GatheredEvents {
  readonly #queue: Pick<EventQueue, "append">;
  #rows: Buffer = Buffer.allocUnsafeSlow(LENGTH_LEAST);
  #length = 0;
  #count = 0;

  constructor(queue: Pick<EventQueue, "append">) {
    this.#queue = queue;
  }

  get count(): number {
    return this.#count;
  }

  get byteLength(): number {
    return this.#length;
  }

  add(own: OwnMembers, shared: SharedMembers): void {
    const asciiRow = toAsciiRow(own, shared);
    if (asciiRow !== null) {
      this.#reserve(asciiRow.length);
      this.#length += this.#rows.write(asciiRow, this.#length, "latin1");
    } else {
      const row = toRow({ ...shared, ...own });
      this.#reserve(row.length * BYTES_PER_UNIT);
      this.#length += this.#rows.write(row, this.#length, "utf8");
    }
    this.#count++;
  }

  async record(): Promise<void> {
    if (this.#count > 0) await this.#queue.append(this.#rows.subarray(0, this.#length), this.#count);
  }

  #reserve(length: number): void {
    const needed = this.#length + length;
    if (needed <= this.#rows.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#rows.length));
    larger.set(this.#rows.subarray(0, this.#length));
    this.#rows = larger;
  }
}
