/** What caches of one kind take and have answered, and what they had to work out. */
export interface CacheFigures {
  readonly name: string;
  bytes: number;
  hits: number;
  misses: number;
}

/** Bytes of an entry that nothing else is told of: a key, a value and their places in a map. */
const ENTRY_BYTES = 100;

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
}

/** What a cache counts in its kind's figures. */
interface Held {
  readonly figures: CacheFigures;
  bytes: number;
}

/** Caches go with what they belong to, a segment's view say, and nobody tells them. */
const collected = new FinalizationRegistry<Held>(({ figures, bytes }) => {
  figures.bytes -= bytes;
});

/**
 * Values by key, bounded by the bytes that they are said to take: those that haven't been asked for in the time in which
 * half of that has come in make room.
 */
export class Cache<Key, Value> {
  readonly #bytesMax: number;
  readonly #figures: CacheFigures;
  readonly #held: Held;
  #recent: Map<Key, Entry<Value>> = new Map();
  #recentBytes = 0;
  /** What was recent before: it is given up as a whole, but for what is asked for again. */
  #earlier: Map<Key, Entry<Value>> = new Map();
  #earlierBytes = 0;

  /** @param figures of all caches of the kind, counted up here; what is collected as garbage leaves their bytes */
  constructor(bytesMax: number, figures: CacheFigures) {
    this.#bytesMax = bytesMax;
    this.#figures = figures;
    this.#held = { figures, bytes: 0 };
    collected.register(this, this.#held);
  }

  /** About; at most what the cache is bounded by and the last value. */
  get bytes(): number {
    return this.#recentBytes + this.#earlierBytes;
  }

  /** Undefined if it isn't here. */
  get(key: Key): Value | undefined {
    const recent = this.#recent.get(key);
    if (recent !== undefined) {
      this.#figures.hits++;
      return recent.value;
    }
    const earlier = this.#earlier.get(key);
    if (earlier === undefined) {
      this.#figures.misses++;
      return undefined;
    }
    this.#figures.hits++;
    this.#earlier.delete(key);
    this.#earlierBytes -= earlier.bytes;
    this.#put(key, earlier);
    return earlier.value;
  }

  /** @param bytes that key and value take besides an entry of the usual size */
  set(key: Key, value: Value, bytes = 0): void {
    this.#put(key, { value, bytes: ENTRY_BYTES + bytes });
    this.#tell();
  }

  #put(key: Key, entry: Entry<Value>): void {
    if (this.#recentBytes > this.#bytesMax / 2) {
      this.#earlier = this.#recent;
      this.#earlierBytes = this.#recentBytes;
      this.#recent = new Map();
      this.#recentBytes = 0;
    }
    this.#recent.set(key, entry);
    this.#recentBytes += entry.bytes;
  }

  #tell(): void {
    const { bytes } = this;
    this.#figures.bytes += bytes - this.#held.bytes;
    this.#held.bytes = bytes;
  }
}
