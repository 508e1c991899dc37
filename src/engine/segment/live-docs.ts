import { CorruptionError } from "../../errors/index.js";
import { bitsetWords, countBits } from "../bytes/bitset.js";
import { ByteReader } from "../bytes/byte-reader.js";
import { ByteWriter } from "../bytes/byte-writer.js";
import { crc32 } from "../bytes/crc32.js";
import { type FileOwner, ownerAt, ownerBytes, requireOwner } from "../bytes/file-owner.js";
import type { WrittenFiles } from "../directory/directory.js";
import type { DocBits } from "./segment-reader.js";

/** "FNDLIVE" and a zero byte. */
const MAGIC = Uint8Array.of(0x46, 0x4e, 0x44, 0x4c, 0x49, 0x56, 0x45, 0x00);
const VERSION = 2;
/** The version whose files don't say which segment they belong to. */
const UNBOUND_VERSION = 1;
/** Magic, version, maxDoc, deleted documents, 0, and the segment. */
const HEADER_BYTES = 40;
const UNBOUND_HEADER_BYTES = 24;
const CHECKSUM_BYTES = 4;

/** The segment that live documents belong to. */
export interface LiveDocsOwner {
  readonly maxDoc: number;
  readonly owner: FileOwner;
  /** Whether its other files say so, too; those of a segment from before they did needn't have live documents that do. */
  readonly isBound: boolean;
}

/**
 * A live-docs file (drawn in `FORMAT.md`) of a segment with deletes.
 *
 * @param bits live documents; bits at and above `maxDoc` are 0
 */
export function encodeLiveDocs(bits: DocBits, maxDoc: number, owner: FileOwner): Uint8Array {
  const writer = new ByteWriter(HEADER_BYTES + bits.length * 4 + CHECKSUM_BYTES);
  writer.bytes(MAGIC);
  writer.u32(VERSION);
  writer.u32(maxDoc);
  writer.u32(maxDoc - countBits(bits));
  writer.u32(0);
  writer.bytes(ownerBytes(owner));
  writer.bytes(new Uint8Array(bits.buffer, bits.byteOffset, bits.byteLength));
  writer.u32(crc32(writer.view()));
  return writer.toBytes();
}

/** @throws CorruptionError naming `fileName` for anything but a whole live-docs file of the segment */
export function decodeLiveDocs(bytes: Uint8Array, fileName: string, segment: LiveDocsOwner): DocBits {
  const { maxDoc } = segment;
  const version = versionOf(bytes, fileName);
  const headerBytes = version === VERSION ? HEADER_BYTES : UNBOUND_HEADER_BYTES;
  const bitsEnd = headerBytes + bitsetWords(maxDoc) * 4;
  if (bytes.length !== bitsEnd + CHECKSUM_BYTES) {
    throw new CorruptionError(
      fileName,
      `it has ${bytes.length} bytes, not those of ${maxDoc} documents' deletes`,
    );
  }
  if (new ByteReader(bytes, bitsEnd).u32() !== crc32(bytes.subarray(0, bitsEnd))) {
    throw new CorruptionError(fileName, "its checksum is wrong");
  }
  const owner = version === VERSION ? ownerAt(bytes, UNBOUND_HEADER_BYTES) : null;
  if (owner !== null || segment.isBound) requireOwner(fileName, "segment", owner, segment.owner);
  const header = new ByteReader(bytes, MAGIC.length + 4, headerBytes);
  const writtenMaxDoc = header.u32();
  const deletedCount = header.u32();
  const reserved = header.u32();
  const bits: DocBits = new Uint32Array(bytes.slice(headerBytes, bitsEnd).buffer);
  const isWithinMaxDoc = (maxDoc & 31) === 0 || bits[bits.length - 1]! >>> (maxDoc & 31) === 0;
  if (
    writtenMaxDoc !== maxDoc ||
    reserved !== 0 ||
    !isWithinMaxDoc ||
    maxDoc - countBits(bits) !== deletedCount
  ) {
    throw new CorruptionError(fileName, `its deletes are not those of a segment of ${maxDoc} documents`);
  }
  return bits;
}

/** Whether the file says which segment it belongs to. @throws CorruptionError naming it if it is none of live documents */
export function saysItsSegment(bytes: Uint8Array, fileName: string): boolean {
  return versionOf(bytes, fileName) === VERSION;
}

function versionOf(bytes: Uint8Array, fileName: string): number {
  if (bytes.length < UNBOUND_HEADER_BYTES || !MAGIC.every((byte, i) => bytes[i] === byte))
    throw new CorruptionError(fileName, "it holds no live documents");
  const version = new ByteReader(bytes, MAGIC.length).u32();
  if (version === VERSION || version === UNBOUND_VERSION) return version;
  throw new CorruptionError(
    fileName,
    `its format version is ${version}, this build reads ${UNBOUND_VERSION} and ${VERSION}`,
  );
}

/** @throws CorruptionError naming the file */
export async function readLiveDocs(
  directory: WrittenFiles,
  fileName: string,
  segment: LiveDocsOwner,
): Promise<DocBits> {
  return decodeLiveDocs(await directory.read(fileName), fileName, segment);
}
