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

/**
 * What the parts of a zip archive take when unpacked, found by unpacking them, as what an archive says of itself needn't
 * be true; some number beyond the limit as soon as that is passed, null if it can't be unpacked.
 */
export async function unpackedSize(file: FileHandle, limit: number): Promise<number | null> {
  const { size } = await file.stat();
  const tail = await read(file, Math.max(0, size - END_MAX), Math.min(size, END_MAX));
  const end = lastMark(tail);
  if (end < 0) return null;
  const count = tail.readUInt16LE(end + 10);
  const directory = await read(
    file,
    tail.readUInt32LE(end + 16),
    Math.min(size, tail.readUInt32LE(end + 12)),
  );
  if (count > ENTRIES_MAX) return null;
  let total = 0;
  for (let i = 0, at = 0; i < count && total <= limit; i++) {
    if (at + ENTRY_BYTES > directory.length || directory.readUInt32LE(at) !== ENTRY_MARK) return null;
    const packed = directory.readUInt32LE(at + 20);
    const local = await read(file, directory.readUInt32LE(at + 42), LOCAL_BYTES);
    if (local.length < LOCAL_BYTES) return null;
    const start =
      directory.readUInt32LE(at + 42) + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28);
    const isDeflated = directory.readUInt16LE(at + 10) === DEFLATED;
    const unpacked = isDeflated ? await inflatedSize(file, start, packed, limit - total) : packed;
    if (unpacked === null) return null;
    total += unpacked;
    const lengths = [28, 30, 32].map((offset) => directory.readUInt16LE(at + offset));
    at += ENTRY_BYTES + lengths.reduce((sum, length) => sum + length, 0);
  }
  return total;
}

async function inflatedSize(
  file: FileHandle,
  start: number,
  packed: number,
  limit: number,
): Promise<number | null> {
  const inflate = createInflateRaw();
  const source = (async function* (): AsyncGenerator<Buffer> {
    for (let at = 0; at < packed; at += READ_BYTES)
      yield await read(file, start + at, Math.min(READ_BYTES, packed - at));
  })();
  let size = 0;
  try {
    for await (const chunk of Readable.from(source, { objectMode: false }).pipe(inflate)) {
      size += (chunk as Buffer).length;
      if (size > limit) return size;
    }
    return size;
  } catch {
    return null;
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
