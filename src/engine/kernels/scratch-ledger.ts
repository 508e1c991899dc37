/**
 * Who has scratch space in a memory that several threads share. Such a memory never shrinks, so what a
 * thread has taken is written down here, for whoever takes its place once it has ended, or for itself
 * when it opens the memory anew.
 *
 *     word 0        number of entries
 *     3 words each  address, bytes, the place's number
 */
export type ScratchLedger = Int32Array<SharedArrayBuffer>;

const ENTRY_WORDS = 3;
/**
 * A thread takes its room in some twenty pieces at most: one for what all searches need, the others as searches need
 * them. What is beyond is used, but can't be taken over.
 */
const ENTRIES_MAX = 680;

export function newScratchLedger(): ScratchLedger {
  return new Int32Array(new SharedArrayBuffer((1 + ENTRIES_MAX * ENTRY_WORDS) * 4));
}

/** A thread's own room in one memory. At any time at most one thread has the place of a number. */
export class ScratchPlace {
  readonly #ledger: ScratchLedger;
  readonly #number: number;
  /** Entries that this thread uses. */
  readonly #taken: Set<number> = new Set();

  /** @param number of the thread's place, from 1 */
  constructor(ledger: ScratchLedger, number: number) {
    this.#ledger = ledger;
    this.#number = number;
  }

  /** Address of so many bytes that the place has and nobody uses; null if there are none. */
  takeUsed(bytes: number): number | null {
    const ledger = this.#ledger;
    const count = Math.min(ENTRIES_MAX, Atomics.load(ledger, 0));
    for (let entry = 0; entry < count; entry++) {
      const at = 1 + entry * ENTRY_WORDS;
      const isFree = Atomics.load(ledger, at + 2) === this.#number && !this.#taken.has(entry);
      if (!isFree || ledger[at + 1] !== bytes) continue;
      this.#taken.add(entry);
      return ledger[at]! >>> 0;
    }
    return null;
  }

  /** Writes down that the place has got so many bytes at an address, which it gives back. */
  note(address: number, bytes: number): number {
    const ledger = this.#ledger;
    const entry = Atomics.add(ledger, 0, 1);
    if (entry >= ENTRIES_MAX) return address;
    const at = 1 + entry * ENTRY_WORDS;
    ledger[at] = address;
    ledger[at + 1] = bytes;
    // Last, as an entry counts once it has a number.
    Atomics.store(ledger, at + 2, this.#number);
    this.#taken.add(entry);
    return address;
  }
}
