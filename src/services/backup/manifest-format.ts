import {
  type BackupFile,
  type BackupManifest,
  backupManifestSchema,
} from "../../contract/backup-manifest.js";
import { checkShape } from "../../contract/check-shape.js";
import { CorruptionError, FindlingError } from "../../errors/index.js";
import { sha256Of } from "./sha256.js";

/**
 * A manifest is two lines of JSON, each ended by a line feed:
 *
 *     {"findling":"backup","format":1,"bytes":123,"sha256":"…"}
 *     …the manifest, `bytes` long, whose SHA-256 the first line tells…
 */
const FORMAT = 1;

export async function encodeManifest(manifest: BackupManifest): Promise<Uint8Array<ArrayBuffer>> {
  const body = new TextEncoder().encode(JSON.stringify(manifest));
  const head = { findling: "backup", format: FORMAT, bytes: body.length, sha256: await sha256Of(body) };
  return new TextEncoder().encode(`${JSON.stringify(head)}\n${new TextDecoder().decode(body)}\n`);
}

/**
 * Reads a manifest and checks all that it says before anybody goes by it: its digest, the shape and bounds of every
 * member, names that lead out of their folder, sizes that aren't those of their pieces.
 *
 * @param source for messages
 * @throws CorruptionError if it is damaged, or of a format that isn't known here
 */
export async function decodeManifest(source: string, bytes: Uint8Array, id: string): Promise<BackupManifest> {
  const headEnd = bytes.indexOf(LINE_FEED);
  const head = headEnd < 0 || headEnd > HEAD_MAX ? null : parsed(bytes.subarray(0, headEnd));
  if (head?.["findling"] !== "backup") throw new CorruptionError(source, "it is no manifest of a backup");
  if (head["format"] !== FORMAT) {
    throw new CorruptionError(source, `format ${String(head["format"])} is not known to this version`);
  }
  const body = bytes.subarray(headEnd + 1, -1);
  if (body.length !== head["bytes"] || bytes.at(-1) !== LINE_FEED)
    throw new CorruptionError(source, `it should hold ${String(head["bytes"])} bytes`);
  if ((await sha256Of(body.slice())) !== head["sha256"])
    throw new CorruptionError(source, "its content does not have the SHA-256 that it should have");
  const manifest: unknown = parsed(body);
  try {
    checkShape(backupManifestSchema, manifest, "storage_corrupt");
  } catch (error) {
    if (!(error instanceof FindlingError)) throw error;
    throw new CorruptionError(source, error.message);
  }
  if (manifest.id !== id) throw new CorruptionError(source, `it is the manifest of '${manifest.id}'`);
  for (const { name, bytes: size, pieces } of allFilesOf(manifest)) {
    if (pieces.reduce((sum, piece) => sum + piece.bytes, 0) !== size)
      throw new CorruptionError(source, `'${name}' should have ${size} bytes, and its pieces have not`);
  }
  refuseTwice(
    source,
    manifest.indexes.map(({ name }) => name),
  );
  refuseTwice(
    source,
    manifest.indexes.map(({ storage_id }) => storage_id),
  );
  for (const { files } of [...manifest.indexes, manifest.events]) {
    refuseTwice(
      source,
      files.map(({ name }) => name),
    );
    const nested = files.find(({ name }) => name.includes("/"));
    if (nested !== undefined)
      throw new CorruptionError(source, `'${nested.name}' is no name of a file in a folder`);
  }
  refuseTwice(
    source,
    [...manifest.catalog, ...manifest.indexes.map(({ entry }) => entry)].map(({ name }) => name),
  );
  return manifest;
}

export function allFilesOf({ indexes, catalog, events }: BackupManifest): readonly BackupFile[] {
  return [...indexes.flatMap(({ entry, files }) => [entry, ...files]), ...catalog, ...events.files];
}

const LINE_FEED = 0x0a;
const HEAD_MAX = 512;

function parsed(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function refuseTwice(source: string, names: readonly string[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw new CorruptionError(source, `it names '${name}' twice`);
    seen.add(name);
  }
}
