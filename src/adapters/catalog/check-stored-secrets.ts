import { join } from "node:path";
import { hasPlainSecret, type SecretProblem, secretProblemsOf } from "./index-secrets.js";
import type { StoredIndex } from "./read-data-folder.js";
import { SECRET_KEY_FILE, SecretKeyRing } from "./secret-key-ring.js";

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

function plainSecretOf(index: string, file: string): SecretProblem {
  const problem = `index '${index}' has a secret in plain text; the server's next start encrypts it`;
  return { index, file, isDamage: false, problem };
}
