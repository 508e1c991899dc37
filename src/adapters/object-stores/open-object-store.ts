import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { FindlingError, loadOptional } from "../../errors/index.js";
import type { ObjectStore } from "../../ports/object-store.js";
import { FolderObjectStore } from "./folder-object-store.js";

/**
 * Opens what an address names: `file:///var/backups/findling`, or `s3://bucket/prefix` with the endpoint, region and
 * credentials that the usual variables of the environment give (`AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL`,
 * `AWS_REGION` or `AWS_DEFAULT_REGION`, `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`).
 *
 * @throws FindlingError `invalid_configuration`
 */
export async function openObjectStore(
  address: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ObjectStore> {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol === "file:") return new FolderObjectStore(folderOf(url));
  if (url?.protocol === "s3:" && url.hostname !== "") {
    const { openS3 } = await loadOptional("aws4fetch", () => import("./open-s3.js"));
    return openS3(url, env);
  }
  throw new FindlingError(
    "invalid_configuration",
    "the address of backups must be 'file:///a/folder' or 's3://bucket/prefix'",
  );
}

function folderOf(url: URL): string {
  try {
    return resolve(fileURLToPath(url));
  } catch {
    throw new FindlingError(
      "invalid_configuration",
      "the address of a folder for backups is 'file://' and an absolute path, such as file:///var/backups/findling",
    );
  }
}
