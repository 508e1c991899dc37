import { createHash } from "node:crypto";
import type { AccessKey } from "../../contract/access-key.js";
import type { SealedSecret } from "../../contract/ai-config.js";
import type { CatalogKey } from "../../ports/catalog.js";
import { decodeCatalogFile, encodeCatalogFile } from "./catalog-file.js";
import { keyIdOf, openSecret, sealSecret } from "./sealed-secret.js";
import type { SecretKey } from "./secret-key.js";
import type { SecretKeyRing } from "./secret-key-ring.js";

/** Name in the catalog's folder of the file with the access keys. */
export const KEYS_FILE = "keys.json";

/** An access key as `keys.json` holds it: what is known of it, and its value, sealed. */
export interface StoredKey {
  readonly entry: CatalogKey;
  /** In plain text where a version before sealing has written it and it could not be sealed yet. */
  readonly value: string | SealedSecret;
}

/** Why the value of a stored key can't be had, or should not lie there as it does. */
export interface KeyProblem {
  readonly file: string;
  /** True where the bytes are not what was written; false where only the secret key is another one. */
  readonly isDamage: boolean;
  readonly problem: string;
}

/** What seals and opens keys, and the file that they are in, for messages. */
export interface KeySource {
  readonly keys: SecretKeyRing;
  readonly file: string;
}

/**
 * The first 16 hex digits of a key's SHA-256, by which usage events have named it all along. Of 238 random bits,
 * nothing leads back to them.
 */
export function accessKeyId(value: string): string {
  return createHash("sha256").update(value, "utf8").digest("hex").slice(0, 16);
}

/**
 * The keys in the bytes of `keys.json`, in the order of their creation. Before format 2 values were texts, and no
 * key had an id.
 *
 * @throws CorruptionError naming the file
 */
export function decodeKeys(bytes: Uint8Array, file: string): readonly StoredKey[] {
  const content = decodeCatalogFile("keys", bytes, file) as readonly WrittenKey[];
  return content.map(({ key: value, ...known }) => ({
    value,
    entry: typeof value === "string" ? { id: accessKeyId(value), ...known } : (known as CatalogKey),
  }));
}

export function encodeKeys(keys: readonly StoredKey[]): Uint8Array {
  return encodeCatalogFile(
    "keys",
    keys.map(({ entry, value }): WrittenKey => ({ ...entry, key: value })),
  );
}

type WrittenKey = Omit<AccessKey, "key" | "id"> & {
  readonly id?: string;
  readonly key: string | SealedSecret;
};

export function isPlain({ value }: StoredKey): boolean {
  return typeof value === "string";
}

/** The value sealed, as it is if it is sealed already. */
export function sealKey(stored: StoredKey, key: SecretKey): StoredKey {
  const { entry, value } = stored;
  return typeof value === "string"
    ? { entry, value: sealSecret(value, { accessKey: entry.id }, key) }
    : stored;
}

/** The key itself; undefined where it can't be decrypted, for a reason that `keyProblemsOf` names. */
export function openKey({ entry, value }: StoredKey, keys: SecretKeyRing): string | undefined {
  if (typeof value === "string") return value;
  const id = keyIdOf(value);
  const key = id === undefined ? undefined : keys.keyWithId(id);
  return key === undefined ? undefined : openSecret(value, { accessKey: entry.id }, key);
}

/** One for each damaged key, and one for each secret key that is not at hand. */
export function keyProblemsOf(stored: readonly StoredKey[], source: KeySource): readonly KeyProblem[] {
  const { keys, file } = source;
  const problems: KeyProblem[] = [];
  const missing = new Map<string, number>();
  for (const each of stored) {
    if (openKey(each, keys) !== undefined) continue;
    const id = keyIdOf(each.value as SealedSecret);
    if (id !== undefined && keys.keyWithId(id) === undefined) missing.set(id, (missing.get(id) ?? 0) + 1);
    else problems.push({ file, isDamage: true, problem: damageOf(each, id) });
  }
  for (const [id, count] of missing) {
    const problem = `${count} of ${stored.length} stored access keys can't be used: they were encrypted with a secret key that is not at hand (id ${id}); give that one as FINDLING_SECRET_KEY or put its secret.key back, or set FINDLING_ADMIN_KEY, which works without, and make new keys`;
    problems.push({ file, isDamage: false, problem });
  }
  return problems;
}

function damageOf({ entry }: StoredKey, secretKeyId: string | undefined): string {
  const what =
    secretKeyId === undefined
      ? "has a form that is not known to this version"
      : "is damaged or was encrypted for another key";
  return `the value of access key ${entry.id} ${what}; delete the key by its id and make a new one`;
}
