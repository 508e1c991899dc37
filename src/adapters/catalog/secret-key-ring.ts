import { randomBytes } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { CorruptionError, FindlingError } from "../../errors/index.js";
import { DurableFolder, TEMPORARY_SUFFIX, UnsettledChangeError } from "./durable-folder.js";
import { parseSecretKey, type SecretKey, secretKeyOf } from "./secret-key.js";

/** Name in the data folder of the file with the generated key. */
export const SECRET_KEY_FILE = "secret.key";

export interface SecretKeyOptions {
  /** Where a generated key is kept: its folder exists, the file is made at the first need. */
  readonly keyFile: string;
  /** The operator's own key, as 64 hex digits or base64. */
  readonly configuredKey?: string | undefined;
}

/**
 * The keys that secrets are encrypted with: the operator's, else one generated into a file, which is
 * on the disk before anything is encrypted with it. Where there are both, the operator's encrypts and
 * the file's still opens what it once encrypted.
 */
export class SecretKeyRing {
  readonly #keyFile: string;
  readonly #configured: SecretKey | undefined;
  #generated: SecretKey | undefined;
  #damage: CorruptionError | undefined;

  private constructor(
    keyFile: string,
    configured: SecretKey | undefined,
    generated: SecretKey | CorruptionError | undefined,
  ) {
    this.#keyFile = keyFile;
    this.#configured = configured;
    if (generated instanceof CorruptionError) this.#damage = generated;
    else this.#generated = generated;
  }

  /**
   * Reads only.
   *
   * @throws CorruptionError if the file holds no key
   * @throws FindlingError `invalid_configuration` if the configured key is none; the system's error if
   *   the file can't be read
   */
  static async open(options: SecretKeyOptions): Promise<SecretKeyRing> {
    const ring = await SecretKeyRing.openEvenDamaged(options);
    if (ring.damage !== undefined) throw ring.damage;
    return ring;
  }

  /**
   * As `open`, but a file that holds no key counts as one that is missing, and is set aside when a new key takes its
   * place.
   */
  static async openEvenDamaged({ keyFile, configuredKey }: SecretKeyOptions): Promise<SecretKeyRing> {
    const configured = configuredKey === undefined ? undefined : parseSecretKey(configuredKey);
    if (configuredKey !== undefined && configured === undefined) {
      throw new FindlingError(
        "invalid_configuration",
        "FINDLING_SECRET_KEY must be 32 bytes, written as 64 hex digits or 44 characters of base64",
      );
    }
    return new SecretKeyRing(keyFile, configured, await readKeyFile(keyFile));
  }

  /** Why the file holds no key, while that is so. */
  get damage(): CorruptionError | undefined {
    return this.#damage;
  }

  keyWithId(id: string): SecretKey | undefined {
    return [this.#configured, this.#generated].find((key) => key?.id === id);
  }

  /** The key to encrypt with, if there is one already. */
  get presentKey(): SecretKey | undefined {
    return this.#configured ?? this.#generated;
  }

  /**
   * The key to encrypt with. Not to be called while an earlier call is under way.
   *
   * @throws Error the system's, if a new key can't be written
   */
  async sealingKey(): Promise<SecretKey> {
    const key = this.#configured ?? (this.#generated ??= await generateKeyFile(this.#keyFile));
    if (this.#generated !== undefined) this.#damage = undefined;
    return key;
  }
}

async function readKeyFile(keyFile: string): Promise<SecretKey | CorruptionError | undefined> {
  let text: string;
  try {
    text = await readFile(keyFile, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const key = parseSecretKey(text.trim());
  if (key !== undefined) return key;
  return new CorruptionError(
    keyFile,
    "it holds no key; put it back from a backup, or move it away, set the 'ai.llm_api_key' of every index anew and, with FINDLING_ADMIN_KEY, make new access keys",
  );
}

async function generateKeyFile(keyFile: string): Promise<SecretKey> {
  const folder = DurableFolder.existing(dirname(keyFile));
  const name = basename(keyFile);
  // One that is there holds no key, as it would have been used.
  await folder.setAside(name);
  // What a crash has left would keep its own mode.
  await rm(keyFile + TEMPORARY_SUFFIX, { force: true });
  const bytes = randomBytes(32);
  try {
    await folder.write(name, Buffer.from(`${bytes.toString("base64")}\n`));
  } catch (error) {
    // Nothing is encrypted with a key that a crash may take away.
    if (error instanceof UnsettledChangeError) await rm(keyFile, { force: true }).catch(() => undefined);
    throw error;
  }
  return secretKeyOf(bytes);
}
