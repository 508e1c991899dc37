import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { FileCatalog } from "./adapters/catalog/file-catalog.js";
import { SECRET_KEY_FILE } from "./adapters/catalog/secret-key-ring.js";
import { DataFolder } from "./adapters/embedded/data-folder.js";
import { FolderDocuments } from "./adapters/embedded/folder-documents.js";
import type { ClusterCatalog } from "./adapters/opensearch/cluster-catalog.js";
import { ClusterDocuments } from "./adapters/opensearch/cluster-documents.js";
import { openClusterStorage } from "./cluster-storage.js";
import type { Configuration } from "./config/index.js";
import { PassingFolder } from "./engine/server-door.js";
import { FindlingError } from "./errors/index.js";
import { NO_TRACING } from "./ports/tracing.js";
import { type MoveEnd, type MoveReport, moveEverything } from "./services/move/move-everything.js";

/** What is moved from one storage to another: the composition of its parts for the command line. */

export type { MoveReport } from "./services/move/move-everything.js";

/** An end of a move that is open. */
interface OpenEnd extends MoveEnd {
  close(): Promise<void>;
}

/**
 * Where an end is: a data folder, or a cluster as `opensearch://a:9200,b:9200/prefix`, with `opensearchs` over TLS.
 */
type Place =
  | { readonly kind: "folder"; readonly path: string }
  | { readonly kind: "cluster"; readonly urls: readonly string[]; readonly prefix: string | undefined };

const CLUSTER_ADDRESS = /^opensearch(s?):\/\/([^/\s?#@]+)(?:\/([a-z][a-z0-9_-]{0,59})?)?$/;

/**
 * Moves everything from one place to another. What belongs to a cluster besides its address (user, password,
 * certificates, shards) is the configuration's, as is the secret key.
 *
 * @throws FindlingError `invalid_configuration` for addresses that are none, and what `moveEverything` throws
 */
export async function move(
  { from, to }: { readonly from: string; readonly to: string },
  configuration: Configuration,
  options: { readonly onIndex: (name: string) => void; readonly onProblem: (message: string) => void },
): Promise<MoveReport> {
  const [source, target] = [placeOf(from), placeOf(to)];
  if (JSON.stringify(source) === JSON.stringify(target)) {
    throw new FindlingError("invalid_configuration", "both ends of the move are the same place; name two");
  }
  // A cluster takes the key of the folder that is moved, unless one is configured.
  const folder = [source, target].find((place) => place.kind === "folder");
  const keyFolder = folder?.kind === "folder" ? folder.path : configuration.dataDir;
  const open = (place: Place, isSource: boolean): Promise<OpenEnd> => {
    if (place.kind === "cluster")
      return openCluster(place, { ...configuration, dataDir: keyFolder }, options);
    return isSource
      ? openFolderToRead(place.path, configuration.secretKey)
      : openFolder(place.path, configuration.secretKey);
  };
  const reading = await open(source, true);
  try {
    const writing = await open(target, false);
    try {
      const newHash = () => createHash("sha256");
      return await moveEverything(reading, writing, { newHash, onIndex: options.onIndex });
    } finally {
      await writing.close();
    }
  } finally {
    await reading.close();
  }
}

function placeOf(address: string): Place {
  if (!address.includes("://")) return { kind: "folder", path: resolve(address) };
  const found = CLUSTER_ADDRESS.exec(address);
  if (found === null) {
    throw new FindlingError(
      "invalid_configuration",
      `'${address}' is no place to move from or to; name a data folder, or a cluster such as opensearch://a.example:9200,b.example:9200/findling (opensearchs:// over TLS; user and password by FINDLING_OPENSEARCH_USER and FINDLING_OPENSEARCH_PASSWORD)`,
    );
  }
  const scheme = found[1] === "s" ? "https" : "http";
  const urls = found[2]!.split(",").map((node) => `${scheme}://${node}`);
  return { kind: "cluster", urls, prefix: found[3] };
}

async function openCluster(
  { urls, prefix }: Place & { readonly kind: "cluster" },
  configuration: Configuration,
  { onProblem }: { readonly onProblem: (message: string) => void },
): Promise<OpenEnd> {
  const { backend, catalog } = await openClusterStorage(
    { ...configuration, opensearchUrl: urls, ...(prefix !== undefined && { opensearchPrefix: prefix }) },
    NO_TRACING,
    (message) => onProblem(message),
  );
  const close = async (): Promise<void> => {
    await backend.stop();
    await catalog.close();
  };
  try {
    requireSound(catalog);
    return { catalog, storage: new ClusterDocuments(backend), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A server may be running on the folder: its catalog is read from a copy. */
async function openFolderToRead(path: string, configuredKey: string | undefined): Promise<OpenEnd> {
  if (!existsSync(join(path, "catalog"))) {
    throw new FindlingError(
      "storage_unavailable",
      `'${path}' holds no data of a findling server; name the folder that 'findling serve' uses`,
    );
  }
  const folder = await PassingFolder.make(tmpdir(), "findling-move-");
  const { path: copy } = folder;
  const discard = (): Promise<void> => folder.delete();
  try {
    await cp(join(path, "catalog"), join(copy, "catalog"), { recursive: true });
    const key = join(path, SECRET_KEY_FILE);
    if (existsSync(key)) await cp(key, join(copy, SECRET_KEY_FILE));
    const catalog = await FileCatalog.open(join(copy, "catalog"), {
      keyFile: join(copy, SECRET_KEY_FILE),
      configuredKey,
    });
    requireSound(catalog);
    return {
      catalog,
      storage: new FolderDocuments(path),
      async close() {
        await catalog.close();
        await discard();
      },
    };
  } catch (error) {
    await discard();
    throw error;
  }
}

/** A server goes on without what is damaged; what moves would be less than there was. @throws CorruptionError */
function requireSound(catalog: FileCatalog | ClusterCatalog): void {
  const [damaged] = catalog.damaged();
  if (damaged !== undefined) throw damaged.error;
}

/** @throws FindlingError `storage_locked` if a server runs on the folder */
async function openFolder(path: string, configuredKey: string | undefined): Promise<OpenEnd> {
  await mkdir(path, { recursive: true });
  const lock = await DataFolder.open(path);
  try {
    await lock.requireWritable();
    const catalog = await FileCatalog.open(
      join(path, "catalog"),
      { keyFile: join(path, SECRET_KEY_FILE), configuredKey },
      { requireWritable: () => lock.requireWritable(), storageRoot: join(path, "indexes") },
    );
    requireSound(catalog);
    return {
      catalog,
      storage: new FolderDocuments(path),
      async close() {
        await catalog.close();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}
