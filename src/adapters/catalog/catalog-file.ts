import { createHash } from "node:crypto";
import { CorruptionError } from "../../errors/index.js";

/**
 * A catalog file is two lines of JSON, each ended by a line feed:
 *
 *     {"findling":"keys","format":2,"bytes":123,"sha256":"…"}
 *     …the content, `bytes` long, whose SHA-256 the first line tells…
 *
 * Any cut and any flipped bit shows: in the first line as a member that is not as it must be, in
 * the second by its digest.
 */
const FORMATS = {
  index: 1,
  federation: 1,
  aliases: 1,
  /** 2: values are sealed, which keeps out versions that would take a sealed one for the key itself. */
  keys: 2,
} as const;

/** Folders of the catalog, a file for each entry. */
export const INDEX_FOLDER = "indexes";
export const FEDERATION_FOLDER = "federations";

export type CatalogFileKind = keyof typeof FORMATS;

export function encodeCatalogFile(kind: CatalogFileKind, content: unknown): Uint8Array {
  const bytes = Buffer.from(JSON.stringify(content), "utf8");
  const header = { findling: kind, format: FORMATS[kind], bytes: bytes.length, sha256: sha256(bytes) };
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), bytes, Buffer.from("\n")]);
}

/**
 * The content of a catalog file, which may be of an earlier format.
 *
 * @param file for the message
 * @throws CorruptionError
 */
export function decodeCatalogFile(kind: CatalogFileKind, bytes: Uint8Array, file: string): unknown {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headerEnd = buffer.indexOf("\n");
  if (headerEnd < 0) throw new CorruptionError(file, "its first line is cut");
  const header = parseHeader(buffer.subarray(0, headerEnd), file);
  if (header["findling"] !== kind) throw new CorruptionError(file, `it does not say that it holds '${kind}'`);
  const { format } = header;
  if (typeof format !== "number" || !Number.isInteger(format) || format < 1 || format > FORMATS[kind]) {
    throw new CorruptionError(file, `format ${String(format)} is not known to this version`);
  }
  const content = buffer.subarray(headerEnd + 1, buffer.length - 1);
  if (content.length !== header["bytes"] || buffer.at(-1) !== LINE_FEED) {
    throw new CorruptionError(file, `it should hold ${String(header["bytes"])} bytes of content`);
  }
  if (sha256(content) !== header["sha256"]) {
    throw new CorruptionError(file, "its content does not have the SHA-256 that it should have");
  }
  return JSON.parse(content.toString("utf8"));
}

const LINE_FEED = 0x0a;

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function parseHeader(line: Buffer, file: string): Readonly<Record<string, unknown>> {
  try {
    const header: unknown = JSON.parse(line.toString("utf8"));
    if (typeof header === "object" && header !== null) return header as Readonly<Record<string, unknown>>;
  } catch {
    // Falls through to the one message for a first line that can't be read.
  }
  throw new CorruptionError(file, "its first line is not what it must be");
}
