import { MalformedInputError } from "../../intake/raw-record.js";
import { CliError } from "../cli-error.js";

/** The encoding that a byte order mark at the start tells, or the zeros of UTF-16 without one; else UTF-8. */
export function encodingByStart(start: Uint8Array): string {
  if (start[0] === 0xff && start[1] === 0xfe) return "utf-16le";
  if (start[0] === 0xfe && start[1] === 0xff) return "utf-16be";
  if (isWide(start, 0)) return "utf-16le";
  return isWide(start, 1) ? "utf-16be" : UTF8;
}

/**
 * Whether most characters are ASCII in two bytes each, and none is a control character.
 *
 * @param low where in a pair its low byte is
 */
function isWide(start: Uint8Array, low: 0 | 1): boolean {
  const pairs = start.length >>> 1;
  let ascii = 0;
  for (let at = 0; at < 2 * pairs; at += 2) {
    if (start[at + 1 - low] !== 0) continue;
    const code = start[at + low]!;
    if (code < 0x20 && code !== 9 && code !== 10 && code !== 13) return false;
    if (code < 0x7f) ascii++;
  }
  return pairs >= WIDE_PAIRS_MIN && ascii > pairs / 2;
}

const WIDE_PAIRS_MIN = 4;

/** The name that the Encoding standard has for it. @throws CliError if it has none */
export function parseEncoding(text: string): string {
  try {
    return new TextDecoder(text).encoding;
  } catch {
    throw new CliError(
      "usage",
      `--encoding '${text}' is not known; name one such as utf-8, utf-16le or windows-1252`,
    );
  }
}

const UTF8 = "utf-8";

/**
 * The chunks in UTF-8 and without a byte order mark. Those that are UTF-8 are not looked at: each record says by itself
 * whether it is.
 *
 * @throws MalformedInputError where other bytes are not of the encoding
 */
export async function* decoded(
  chunks: AsyncIterable<Uint8Array>,
  encoding: string,
): AsyncGenerator<Uint8Array> {
  if (encoding === UTF8) {
    yield* withoutMark(chunks);
    return;
  }
  const decoder = new TextDecoder(encoding, { fatal: true });
  try {
    for await (const chunk of chunks) yield Buffer.from(decoder.decode(chunk, { stream: true }));
    yield Buffer.from(decoder.decode());
  } catch (failure) {
    if (failure instanceof TypeError) throw new MalformedInputError(`its bytes are not ${encoding}`);
    throw failure;
  }
}

async function* withoutMark(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const chunk of chunks) {
    const hasMark = isFirst && chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf;
    isFirst = false;
    yield hasMark ? chunk.subarray(3) : chunk;
  }
}
