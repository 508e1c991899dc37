import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { FindlingError } from "../../errors/index.js";
import { hasPlainSecret, type SecretProblem, secretProblemsOf } from "./index-secrets.js";
import { keysFileOf, type StoredIndex } from "./read-data-folder.js";
import { SECRET_KEY_FILE, SecretKeyRing } from "./secret-key-ring.js";
import { decodeKeys, isPlain, type KeyProblem, keyProblemsOf, type StoredKey } from "./stored-key.js";

/**
 * The secrets of a data folder that can't be used with the keys at hand, or are not encrypted; for
 * tools that only read.
 *
 * @throws CorruptionError if the folder's own key is damaged
 * @throws FindlingError `invalid_configuration` if the configured key is none
 */
export async function checkStoredSecrets(
  dataDir: string,
  indexes: readonly StoredIndex[],
  configuredKey: string | undefined,
): Promise<readonly SecretProblem[]> {
  const keys = await SecretKeyRing.open({ keyFile: join(dataDir, SECRET_KEY_FILE), configuredKey });
  return indexes.flatMap(({ entry, catalogFile }) =>
    hasPlainSecret(entry)
      ? [plainSecretOf(entry.schema.name, catalogFile)]
      : secretProblemsOf(entry, { keys, file: catalogFile }),
  );
}

/**
 * The access keys of a data folder that let nobody in with the secret keys at hand, or are not encrypted; for tools
 * that only read. None where the file itself is missing or damaged, which `readStoredIndexes` tells.
 *
 * @throws as `checkStoredSecrets`
 */
export async function checkStoredKeys(
  dataDir: string,
  configuredKey: string | undefined,
): Promise<readonly KeyProblem[]> {
  const keys = await SecretKeyRing.open({ keyFile: join(dataDir, SECRET_KEY_FILE), configuredKey });
  const file = keysFileOf(dataDir);
  const stored = await readKeys(file);
  const plain = stored.filter(isPlain).length;
  const problem = `${plain} of ${stored.length} access keys are in plain text; the server's next start encrypts them`;
  const ofPlain = plain === 0 ? [] : [{ file, isDamage: false, problem }];
  return [...ofPlain, ...keyProblemsOf(stored, { keys, file })];
}

async function readKeys(file: string): Promise<readonly StoredKey[]> {
  try {
    return decodeKeys(await readFile(file), file);
  } catch (error) {
    if (error instanceof FindlingError || (error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function plainSecretOf(index: string, file: string): SecretProblem {
  const problem = `index '${index}' has a secret in plain text; the server's next start encrypts it`;
  return { index, file, isDamage: false, problem };
}
