import { CorruptionError } from "../../errors/index.js";
import { bitsetWords, countBits } from "../bytes/bitset.js";
import { ByteReader } from "../bytes/byte-reader.js";
import { ByteWriter } from "../bytes/byte-writer.js";
import { crc32 } from "../bytes/crc32.js";
import type { WrittenFiles } from "../directory/directory.js";
import type { DocBits } from "./segment-reader.js";

/** "FNDLIVE" and a zero byte. */
const MAGIC = Uint8Array.of(0x46, 0x4e, 0x44, 0x4c, 0x49, 0x56, 0x45, 0x00);
const VERSION = 1;
/** Magic, version, maxDoc, deleted documents, 0. */
const HEADER_BYTES = 24;
const CHECKSUM_BYTES = 4;

/**
 * A live-docs file (drawn in `FORMAT.md`) of a segment with deletes.
 *
 * @param bits live documents; bits at and above `maxDoc` are 0
 */
export function encodeLiveDocs(bits: DocBits, maxDoc: number): Uint8Array {
  const writer = new ByteWriter(HEADER_BYTES + bits.length * 4 + CHECKSUM_BYTES);
  writer.bytes(MAGIC);
  writer.u32(VERSION);
  writer.u32(maxDoc);
  writer.u32(maxDoc - countBits(bits));
  writer.u32(0);
  writer.bytes(new Uint8Array(bits.buffer, bits.byteOffset, bits.byteLength));
  writer.u32(crc32(writer.view()));
  return writer.toBytes();
}

/** @throws CorruptionError naming `fileName` for anything but a whole live-docs file of `maxDoc` documents */
export function decodeLiveDocs(bytes: Uint8Array, fileName: string, maxDoc: number): DocBits {
  const bitsBytes = bitsetWords(maxDoc) * 4;
  if (bytes.length !== HEADER_BYTES + bitsBytes + CHECKSUM_BYTES) {
    throw new CorruptionError(
      fileName,
      `it has ${bytes.length} bytes, not those of ${maxDoc} documents' deletes`,
    );
  }
  const bitsEnd = HEADER_BYTES + bitsBytes;
  if (new ByteReader(bytes, bitsEnd).u32() !== crc32(bytes.subarray(0, bitsEnd))) {
    throw new CorruptionError(fileName, "its checksum is wrong");
  }
  const header = new ByteReader(bytes, MAGIC.length, HEADER_BYTES);
  if (!MAGIC.every((byte, i) => bytes[i] === byte))
    throw new CorruptionError(fileName, "it holds no live documents");
  const version = header.u32();
  if (version !== VERSION) {
    throw new CorruptionError(fileName, `its format version is ${version}, this build reads ${VERSION}`);
  }
  const writtenMaxDoc = header.u32();
  const deletedCount = header.u32();
  const reserved = header.u32();
  const bits: DocBits = new Uint32Array(bytes.slice(HEADER_BYTES, bitsEnd).buffer);
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

/** @throws CorruptionError naming the file */
export async function readLiveDocs(
  directory: WrittenFiles,
  fileName: string,
  maxDoc: number,
): Promise<DocBits> {
  return decodeLiveDocs(await directory.read(fileName), fileName, maxDoc);
}
