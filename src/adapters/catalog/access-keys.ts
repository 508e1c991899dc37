import { createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { AccessKey } from "../../contract/access-key.js";
import type { CatalogKey } from "../../ports/catalog.js";
import { changedMeanwhile } from "./expected-entry.js";
import {
  accessKeyId,
  encodeKeys,
  isPlain,
  type KeyProblem,
  type KeySource,
  keyProblemsOf,
  openKey,
  type StoredKey,
  sealKey,
} from "./stored-key.js";

interface HeldKey {
  readonly stored: StoredKey;
  /** Undefined where the value can't be decrypted: nobody can be let in by it. */
  readonly digest: string | undefined;
}

/**
 * The access keys in memory, as they lie on the disk: sealed. A key that somebody comes with is found by its
 * HMAC-SHA-256 under bytes that each process draws for itself, so that a request takes one digest and no
 * decryption, and no table of digests leads from one process or disk to the keys. Digests are compared as texts are:
 * how many of their bytes are right says nothing about the key, as nobody outside can tell which digest a guess has.
 * Changes make another object.
 */
export class AccessKeys {
  readonly #source: KeySource;
  readonly #digestKey: KeyObject;
  /** In the order of their creation. */
  readonly #byId: ReadonlyMap<string, HeldKey>;
  readonly #byDigest: ReadonlyMap<string, HeldKey>;

  private constructor(source: KeySource, digestKey: KeyObject, keys: Iterable<HeldKey>) {
    this.#source = source;
    this.#digestKey = digestKey;
    const byId = new Map<string, HeldKey>();
    const byDigest = new Map<string, HeldKey>();
    for (const key of keys) {
      byId.set(key.stored.entry.id, key);
      if (key.digest !== undefined) byDigest.set(key.digest, key);
    }
    this.#byId = byId;
    this.#byDigest = byDigest;
  }

  static of(stored: readonly StoredKey[], source: KeySource): AccessKeys {
    const digestKey = createSecretKey(randomBytes(32));
    const held = stored.map((each) => {
      const value = openKey(each, source.keys);
      return { stored: each, digest: value === undefined ? undefined : digestOf(value, digestKey) };
    });
    return new AccessKeys(source, digestKey, held);
  }

  get hasPlain(): boolean {
    return this.#stored().some(isPlain);
  }

  all(): readonly CatalogKey[] {
    return this.#stored().map(({ entry }) => entry);
  }

  withId(id: string): CatalogKey | undefined {
    return this.#byId.get(id)?.stored.entry;
  }

  withValue(value: string): CatalogKey | undefined {
    return this.#byDigest.get(digestOf(value, this.#digestKey))?.stored.entry;
  }

  /** Undefined where there is no such key, or it can't be decrypted. */
  valueOf(id: string): string | undefined {
    const held = this.#byId.get(id);
    return held === undefined ? undefined : openKey(held.stored, this.#source.keys);
  }

  problems(): readonly KeyProblem[] {
    return keyProblemsOf(this.#stored(), this.#source);
  }

  /** Keys as they are once they have been added. */
  static identified(keys: readonly Omit<AccessKey, "id">[]): readonly AccessKey[] {
    return keys.map((each) => ({ ...each, id: accessKeyId(each.key) }));
  }

  /** With these at the end, in plain text until they are `sealed`. */
  adding(keys: readonly Omit<AccessKey, "id">[]): AccessKeys {
    const added = keys.map(({ key: value, ...known }) => ({
      stored: { entry: { id: accessKeyId(value), ...known }, value },
      digest: digestOf(value, this.#digestKey),
    }));
    return this.#holding([...this.#byId.values(), ...added]);
  }

  /**
   * With this in place of what is known of the key with its id; the later of both last uses stays.
   *
   * @param expected what is known of it has to say this, its last use aside; undefined: whatever it says
   * @throws RangeError if there is none
   * @throws FindlingError `conflict`
   */
  changing(entry: CatalogKey, expected?: CatalogKey): AccessKeys {
    const present = this.withId(entry.id);
    if (expected !== undefined && (present === undefined || !isSameButForUse(present, expected)))
      throw changedMeanwhile("access key");
    if (present === undefined) throw new RangeError(`there is no key with id '${entry.id}'`);
    return this.#with([usedLast(entry, present.last_used_at)]);
  }

  /** With these last uses where they are later than what is known; the same object if none is. */
  used(uses: ReadonlyMap<string, string>): AccessKeys {
    const changed = [...uses].flatMap(([id, instant]) => {
      const entry = this.withId(id);
      const after = entry === undefined ? undefined : usedLast(entry, instant);
      return after === undefined || after === entry ? [] : [after];
    });
    return changed.length === 0 ? this : this.#with(changed);
  }

  #with(changed: readonly CatalogKey[]): AccessKeys {
    const byId = new Map(changed.map((entry) => [entry.id, entry]));
    return this.#holding(
      [...this.#byId.values()].map((held) => {
        const entry = byId.get(held.stored.entry.id);
        return entry === undefined ? held : { ...held, stored: { ...held.stored, entry } };
      }),
    );
  }

  /** Keys but for these; the object itself if none of them is there. */
  without(ids: ReadonlySet<string>): AccessKeys {
    const left = [...this.#byId.values()].filter(({ stored }) => !ids.has(stored.entry.id));
    return left.length === this.#byId.size ? this : this.#holding(left);
  }

  /** Those in plain text sealed; those that are sealed already stay as they are, whatever key they need. */
  async sealed(): Promise<AccessKeys> {
    if (!this.hasPlain) return this;
    const key = await this.#source.keys.sealingKey();
    return this.#holding(
      [...this.#byId.values()].map((held) => ({ ...held, stored: sealKey(held.stored, key) })),
    );
  }

  encode(): Uint8Array {
    return encodeKeys(this.#stored());
  }

  #stored(): readonly StoredKey[] {
    return [...this.#byId.values()].map(({ stored }) => stored);
  }

  #holding(keys: readonly HeldKey[]): AccessKeys {
    return new AccessKeys(this.#source, this.#digestKey, keys);
  }
}

/** With the instant as its last use, unless it has one that isn't earlier. Instants in UTC are ordered as texts are. */
function usedLast(entry: CatalogKey, instant: string | undefined): CatalogKey {
  if (instant === undefined || (entry.last_used_at ?? "") >= instant) return entry;
  return { ...entry, last_used_at: instant };
}

function isSameButForUse(one: CatalogKey, other: CatalogKey): boolean {
  const { last_used_at: _one, ...first } = one;
  const { last_used_at: _other, ...second } = other;
  return one === other || isDeepStrictEqual(first, second);
}

/** A character a byte, which is half as dear as bytes. */
function digestOf(value: string, digestKey: KeyObject): string {
  return createHmac("sha256", digestKey).update(value, "utf8").digest("binary");
}
