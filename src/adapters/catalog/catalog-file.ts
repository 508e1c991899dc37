import { createHash } from "node:crypto";
import { CorruptionError } from "../../errors/index.js";
import { type CatalogFileKind, hasShape } from "./catalog-shapes.js";

/**
 * A catalog file is two lines of JSON, each ended by a line feed:
 *
 *     {"findling":"keys","format":2,"bytes":123,"sha256":"…","head":"…"}
 *     …the content, `bytes` long, whose SHA-256 the first line tells…
 *
 * Any cut and any flipped bit shows: in the second line by its digest, in the first by `head`, the first 16 hex digits
 * of the SHA-256 of all that stands before it. A `head` has to be in every later format, too: it is what tells a file of
 * a newer version, with which nothing may be done, from a damaged one, without which a server starts. First lines of
 * before had none, and are damaged if their format isn't known.
 */
const FORMATS: Readonly<Record<CatalogFileKind, number>> = {
  index: 1,
  federation: 1,
  aliases: 1,
  /** 2: values are sealed, which keeps out versions that would take a sealed one for the key itself. */
  keys: 2,
};

/** Folders of the catalog, a file for each entry. */
export const INDEX_FOLDER = "indexes";
export const FEDERATION_FOLDER = "federations";
/** Is there once there has been an alias. */
export const ALIASES_FILE = "aliases.json";

export function encodeCatalogFile(kind: CatalogFileKind, content: unknown): Uint8Array {
  const bytes = Buffer.from(JSON.stringify(content), "utf8");
  const header = { findling: kind, format: FORMATS[kind], bytes: bytes.length, sha256: sha256(bytes) };
  return Buffer.concat([Buffer.from(`${withHead(JSON.stringify(header))}\n`), bytes, Buffer.from("\n")]);
}

/** A file that no damage explains: a newer version has written it. */
export class NewerFormatError extends CorruptionError {}

/** @param header a JSON object in one line, without `head` */
export function withHead(header: string): string {
  const open = header.slice(0, -1);
  return `${open},"head":"${headOf(open)}"}`;
}

function headOf(text: string): string {
  return sha256(Buffer.from(text, "utf8")).slice(0, 16);
}

/**
 * The content of a catalog file, which may be of an earlier format.
 *
 * @param file for the message
 * @throws NewerFormatError, CorruptionError
 */
export function decodeCatalogFile(kind: CatalogFileKind, bytes: Uint8Array, file: string): unknown {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headerEnd = buffer.indexOf("\n");
  if (headerEnd < 0) throw new CorruptionError(file, "its first line is cut");
  const line = buffer.toString("utf8", 0, headerEnd);
  const header = parseHeader(line, file);
  const isWhole = hasHead(line);
  if (header["findling"] !== kind) throw new CorruptionError(file, `it does not say that it holds '${kind}'`);
  const { format } = header;
  if (typeof format !== "number" || !Number.isInteger(format) || format < 1 || format > FORMATS[kind]) {
    const Problem = isWhole ? NewerFormatError : CorruptionError;
    throw new Problem(file, `format ${String(format)} is not known to this version`);
  }
  if (!isWhole && Object.keys(header).join() !== "findling,format,bytes,sha256")
    throw new CorruptionError(file, "its first line is not what it must be");
  const content = buffer.subarray(headerEnd + 1, buffer.length - 1);
  if (content.length !== header["bytes"] || buffer.at(-1) !== LINE_FEED) {
    throw new CorruptionError(file, `it should hold ${String(header["bytes"])} bytes of content`);
  }
  if (sha256(content) !== header["sha256"]) {
    throw new CorruptionError(file, "its content does not have the SHA-256 that it should have");
  }
  return shapedContent(kind, content.toString("utf8"), file);
}

function hasHead(line: string): boolean {
  const [, open, head] = /^(\{.*),"head":"([0-9a-f]{16})"\}$/.exec(line) ?? [];
  return open !== undefined && headOf(open) === head;
}

/** A digest says that the bytes are what somebody has written, not that it was a catalog. */
function shapedContent(kind: CatalogFileKind, text: string, file: string): unknown {
  try {
    const content: unknown = JSON.parse(text);
    if (hasShape(kind, content)) return content;
  } catch {
    // Falls through to the one message for content that is none.
  }
  throw new CorruptionError(file, `its content is not what '${kind}' has`);
}

const LINE_FEED = 0x0a;

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function parseHeader(line: string, file: string): Readonly<Record<string, unknown>> {
  try {
    const header: unknown = JSON.parse(line);
    if (typeof header === "object" && header !== null) return header as Readonly<Record<string, unknown>>;
  } catch {
    // Falls through to the one message for a first line that can't be read.
  }
  throw new CorruptionError(file, "its first line is not what it must be");
}
