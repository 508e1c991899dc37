/**
 * Counts distinct member names of a JSON text, up to a limit, from their bytes. Names whose hashes
 * collide count once, so it may count a little too low; it never counts too high.
 */
export class NameCounter {
  readonly #limit: number;
  /**
   * Open addressing, at most half full; 0 is an empty slot. None for a text too short to hold too many names. It
   * begins small, since a table for all names that there may be is two megabytes, and most texts have a few dozen.
   */
  #slots: Uint32Array | null;
  #count = 0;

  /** @param textLength bytes of the whole text, which bound how many names there can be */
  constructor(limit: number, textLength: number) {
    this.#limit = limit;
    const isShort = Math.ceil(textLength / NAME_BYTES_MIN) <= limit;
    this.#slots = isShort ? null : new Uint32Array(SLOTS_MIN);
  }

  /** False once there are more distinct names than the limit. */
  add(bytes: Uint8Array, start: number, end: number): boolean {
    const slots = this.#slots;
    if (slots === null) return true;
    const hash = hashOf(bytes, start, end);
    const slot = slotOf(slots, hash);
    if (slots[slot] === hash) return true;
    slots[slot] = hash;
    this.#count++;
    if (this.#count * 2 >= slots.length) this.#slots = doubled(slots);
    return this.#count <= this.#limit;
  }
}

/** A power of two. */
const SLOTS_MIN = 1024;

/** Two quotes, a colon and a comma or brace. */
const NAME_BYTES_MIN = 4;

/** Another one in each process, so that nobody can prepare names that collide. */
const SEED = crypto.getRandomValues(new Uint32Array(1))[0]!;

/** Where the hash is, or else an empty slot for it. Ends: at least one slot is empty. */
function slotOf(slots: Uint32Array, hash: number): number {
  const mask = slots.length - 1;
  let slot = hash & mask;
  while (slots[slot] !== 0 && slots[slot] !== hash) slot = (slot + 1) & mask;
  return slot;
}

function doubled(slots: Uint32Array): Uint32Array {
  const grown = new Uint32Array(2 * slots.length);
  for (let i = 0; i < slots.length; i++) {
    const hash = slots[i]!;
    if (hash !== 0) grown[slotOf(grown, hash)] = hash;
  }
  return grown;
}

/** FNV-1a with a random start and a final mix; never 0. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = SEED;
  for (let at = start; at < end; at++) {
    hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
    hash ^= hash >>> 15;
  }
  return hash >>> 0 || 1;
}
