import type { Authority } from "../keys/authority.js";

/** Bytes of the digest that make an id. */
const ID_BYTES = 8;
const IDS_MAX = 10_000;

/** What stands for a key that the operator chose: it may be short enough to be guessed from a digest. */
const CONFIGURED_KEY_ID = "configured";

/**
 * Names that stand for keys in usage events, which must not hold the keys themselves: the first 16 hex
 * digits of a stored key's SHA-256. Nothing where authentication is off.
 */
export class KeyIds {
  readonly #ids = new Map<string, string>();

  /** Null where that takes asking `of`. */
  known({ key, isConfigured }: Authority): string | undefined | null {
    if (key === null) return undefined;
    return isConfigured ? CONFIGURED_KEY_ID : (this.#ids.get(key) ?? null);
  }

  async of(authority: Authority): Promise<string | undefined> {
    const known = this.known(authority);
    const { key } = authority;
    if (known !== null || key === null) return known ?? undefined;
    const id = await digestOf(key);
    if (this.#ids.size >= IDS_MAX) this.#ids.clear();
    this.#ids.set(key, id);
    return id;
  }
}

async function digestOf(key: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  return [...new Uint8Array(digest, 0, ID_BYTES)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
