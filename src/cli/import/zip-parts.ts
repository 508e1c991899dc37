import type { FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";
import { createInflateRaw } from "node:zlib";

/** Bytes that the end of a zip archive takes at most: its record, and a comment (APPNOTE.TXT, 4.3.16). */
const END_MAX = 22 + 0xffff;
const END_BYTES = 22;
const END_MARK = 0x06054b50;
const ENTRY_MARK = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const DEFLATED = 8;
/** Parts that an archive may have. */
const ENTRIES_MAX = 10_000;
const READ_BYTES = 1 << 16;

/** A part of an archive, as the archive lists it. */
interface ZipPart {
  readonly name: string;
  /** Where its bytes begin, and how many they are. */
  readonly start: number;
  readonly packed: number;
  readonly isDeflated: boolean;
}

/**
 * What the parts of a zip archive take when unpacked, found by unpacking them, as what an archive says of itself needn't
 * be true; some number beyond the limit as soon as that is passed, null if it can't be unpacked.
 */
export async function unpackedSize(file: FileHandle, limit: number): Promise<number | null> {
  let total = 0;
  for await (const part of partsOf(file)) {
    const size = part === null ? null : await inflatedSize(file, part, limit - total);
    if (size === null) return null;
    total += size;
    if (total > limit) break;
  }
  return total;
}

/** A part of a zip archive whose size is known to be bearable; null if there is none of that name. */
export async function unpackedPart(file: FileHandle, name: string): Promise<Buffer | null> {
  for await (const part of partsOf(file)) {
    if (part?.name !== name) continue;
    const chunks: Buffer[] = [];
    for await (const chunk of unpacked(file, part)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }
  return null;
}

/** The parts in the order of the archive's directory; null and nothing more where that is damaged. */
async function* partsOf(file: FileHandle): AsyncGenerator<ZipPart | null> {
  const { size } = await file.stat();
  const tail = await read(file, Math.max(0, size - END_MAX), Math.min(size, END_MAX));
  const end = lastMark(tail);
  const count = end < 0 ? 0 : tail.readUInt16LE(end + 10);
  if (end < 0 || count > ENTRIES_MAX) return yield null;
  const directory = await read(
    file,
    tail.readUInt32LE(end + 16),
    Math.min(size, tail.readUInt32LE(end + 12)),
  );
  for (let i = 0, at = 0; i < count; i++) {
    if (at + ENTRY_BYTES > directory.length || directory.readUInt32LE(at) !== ENTRY_MARK) return yield null;
    const localAt = directory.readUInt32LE(at + 42);
    const local = await read(file, localAt, LOCAL_BYTES);
    if (local.length < LOCAL_BYTES) return yield null;
    const nameEnd = at + ENTRY_BYTES + directory.readUInt16LE(at + 28);
    yield {
      name: directory.toString("utf8", at + ENTRY_BYTES, nameEnd),
      start: localAt + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28),
      packed: directory.readUInt32LE(at + 20),
      isDeflated: directory.readUInt16LE(at + 10) === DEFLATED,
    };
    at = nameEnd + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
}

async function inflatedSize(file: FileHandle, part: ZipPart, limit: number): Promise<number | null> {
  if (!part.isDeflated) return part.packed;
  let size = 0;
  try {
    for await (const chunk of unpacked(file, part)) {
      size += chunk.length;
      if (size > limit) break;
    }
    return size;
  } catch {
    return null;
  }
}

async function* unpacked(file: FileHandle, { start, packed, isDeflated }: ZipPart): AsyncGenerator<Buffer> {
  const source = (async function* (): AsyncGenerator<Buffer> {
    for (let at = 0; at < packed; at += READ_BYTES)
      yield await read(file, start + at, Math.min(READ_BYTES, packed - at));
  })();
  if (!isDeflated) return yield* source;
  const inflate = createInflateRaw();
  try {
    for await (const chunk of Readable.from(source, { objectMode: false }).pipe(inflate))
      yield chunk as Buffer;
  } finally {
    inflate.destroy();
  }
}

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, position);
  return bytes.subarray(0, bytesRead);
}

function lastMark(tail: Buffer): number {
  for (let at = tail.length - END_BYTES; at >= 0; at--) if (tail.readUInt32LE(at) === END_MARK) return at;
  return -1;
}
