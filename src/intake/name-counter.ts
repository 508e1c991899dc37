/**
 * Counts distinct member names of a JSON text, up to a limit, from their bytes. Names whose hashes
 * collide count once, so it may count a little too low; it never counts too high.
 */
export class NameCounter {
  readonly #limit: number;
  /** Open addressing, at most half full; 0 is an empty slot. None for a text too short to hold too many names. */
  readonly #slots: Uint32Array | null;
  #count = 0;

  /** @param textLength bytes of the whole text, which bound how many names there can be */
  constructor(limit: number, textLength: number) {
    this.#limit = limit;
    const isShort = Math.ceil(textLength / NAME_BYTES_MIN) <= limit;
    this.#slots = isShort ? null : new Uint32Array(2 ** Math.ceil(Math.log2(limit * 2 + 2)));
  }

  /** False once there are more distinct names than the limit. */
  add(bytes: Uint8Array, start: number, end: number): boolean {
    const slots = this.#slots;
    if (slots === null) return true;
    const hash = hashOf(bytes, start, end);
    const mask = slots.length - 1;
    // Ends: at least half of the slots are empty.
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const held = slots[slot]!;
      if (held === hash) return true;
      if (held !== 0) continue;
      slots[slot] = hash;
      return ++this.#count <= this.#limit;
    }
  }
}

/** Two quotes, a colon and a comma or brace. */
const NAME_BYTES_MIN = 4;

/** Another one in each process, so that nobody can prepare names that collide. */
const SEED = crypto.getRandomValues(new Uint32Array(1))[0]!;

/** FNV-1a with a random start and a final mix; never 0. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = SEED;
  for (let at = start; at < end; at++) {
    hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
    hash ^= hash >>> 15;
  }
  return hash >>> 0 || 1;
}
