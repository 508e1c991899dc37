import { FindlingError } from "../../errors/index.js";
import type { SecretKeyRing } from "../catalog/secret-key-ring.js";
import type { CatalogDocuments } from "./catalog-documents.js";

const MARK = "id";

/**
 * All servers before a cluster encrypt with one key, whose fingerprint lies in the cluster. The first server puts it
 * there, and makes a key in its data folder if none is configured.
 *
 * @throws FindlingError `invalid_configuration` if this server's key is another one, or it has none
 */
export async function requireSecretKey(
  documents: CatalogDocuments,
  keys: SecretKeyRing,
  {
    configuredKey,
    onProblem,
  }: { readonly configuredKey?: string | undefined; readonly onProblem: (message: string) => void },
): Promise<void> {
  let mark = await documents.read("secret-key", MARK);
  if (mark === undefined) {
    const { id } = await keys.sealingKey();
    if (configuredKey === undefined) {
      onProblem(
        "FINDLING_SECRET_KEY is not set: the key in this server's data folder is used, and every other server before the cluster needs it as FINDLING_SECRET_KEY",
      );
    }
    await documents.setContent("secret-key", MARK, id);
    mark = await documents.read("secret-key", MARK);
  }
  requireKeyOfMark(keys, mark);
}

/**
 * Requires what `requireSecretKey` does, for a server that would start now. It only reads.
 *
 * @param documents as they were read last
 * @throws as `requireSecretKey`
 */
export function checkSecretKey(documents: CatalogDocuments, keys: SecretKeyRing): void {
  const mark = documents.content("secret-key", MARK);
  if (mark !== undefined) requireKeyOfMark(keys, mark);
}

function requireKeyOfMark(keys: SecretKeyRing, mark: string | undefined): void {
  if (mark !== undefined && keys.presentKey?.id === mark) return;
  throw new FindlingError(
    "invalid_configuration",
    `this server's secret key is not the one that the servers before the cluster encrypt with (id ${mark ?? "unknown"}); set FINDLING_SECRET_KEY to theirs`,
  );
}
