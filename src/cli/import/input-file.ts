import { constants, createReadStream } from "node:fs";
import { access, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { MalformedInputError } from "../../intake/raw-record.js";
import { CliError } from "../cli-error.js";
import { readProblem } from "../file-problem.js";
import { decoded, encodingByStart } from "./decode-input.js";

/** Whether a file name stands for standard input. */
export function isStandardInput(path: string): boolean {
  return STANDARD_INPUT.has(path);
}

const STANDARD_INPUT: ReadonlySet<string> = new Set(["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]);

/** Enough of the beginning to tell the format and what is between the cells of CSV. */
const HEAD_BYTES = 16_384;
/** Enough to tell gzip. */
const MAGIC_BYTES = 2;
/** Enough to tell the encoding. */
const ENCODING_BYTES = 256;

/** An input being read, decompressed if it is gzip. */
export interface OpenInput {
  /** The encoding that it is read by; `head` and `chunks` are in UTF-8. */
  readonly encoding: string;
  /** The first bytes after decompression, byte order mark left out; they come again in `chunks`. */
  readonly head: Uint8Array;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Bytes taken from the file so far, as they lie on disk. */
  bytesRead(): number;
  close(): void;
}

/** Size on disk, undefined for standard input and other things that have none. @throws CliError if it can't be read */
export async function inputSize(path: string): Promise<number | undefined> {
  if (isStandardInput(path)) return undefined;
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) throw new CliError("not_a_file", `'${path}' is a folder, not a file`);
    await access(path, constants.R_OK);
    return stats.isFile() ? stats.size : undefined;
  } catch (failure) {
    if (failure instanceof CliError) throw failure;
    throw new CliError("file_not_readable", `file '${path}' ${readProblem(failure)}`, failure);
  }
}

/** @param asked the encoding, where not the first bytes are to tell it */
export async function openInput(path: string, asked: string | undefined): Promise<OpenInput> {
  const raw: Readable = isStandardInput(path)
    ? process.stdin
    : createReadStream(path, { highWaterMark: 1 << 18 });
  let bytesRead = 0;
  const counted = (async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of raw as AsyncIterable<Uint8Array>) {
      bytesRead += chunk.length;
      yield chunk;
    }
  })();
  const packed = await withHead(counted, MAGIC_BYTES);
  const isGzip = packed.head[0] === 0x1f && packed.head[1] === 0x8b;
  const plain = isGzip ? gunzipped(packed.chunks) : packed.chunks;
  const marked = await withHead(plain, ENCODING_BYTES);
  const encoding = asked ?? encodingByStart(marked.head);
  const { head, chunks } = await withHead(decoded(marked.chunks, encoding), HEAD_BYTES);
  return {
    encoding,
    head,
    chunks,
    bytesRead: () => bytesRead,
    close: () => raw.destroy(),
  };
}

/** What the members of a gzip file hold; zeros may follow them, as tapes have them. */
async function* gunzipped(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: 1 << 18 });
  const source = Readable.from(chunks, { objectMode: false });
  source.on("error", (failure) => gunzip.destroy(failure));
  try {
    for await (const chunk of source.pipe(gunzip)) yield chunk as Uint8Array;
  } catch (failure) {
    const code = (failure as NodeJS.ErrnoException).code ?? "";
    if (code.startsWith("Z_"))
      throw new MalformedInputError("the gzip data is damaged, cut short or followed by something else");
    throw failure;
  }
}

/** Reads ahead until `length` bytes are known or the input ends; the chunks still hold everything. */
async function withHead(
  chunks: AsyncIterable<Uint8Array>,
  length: number,
): Promise<{ readonly head: Uint8Array; readonly chunks: AsyncIterable<Uint8Array> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  let head: Uint8Array = new Uint8Array(0);
  let isAtEnd = false;
  while (head.length < length && !isAtEnd) {
    const next = await iterator.next();
    if (next.done === true) isAtEnd = true;
    else head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
  }
  const all = (async function* (): AsyncGenerator<Uint8Array> {
    if (head.length > 0) yield head;
    if (isAtEnd) return;
    for (;;) {
      const next = await iterator.next();
      if (next.done === true) return;
      yield next.value;
    }
  })();
  return { head, chunks: all };
}
