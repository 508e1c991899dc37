import type { IncomingMessage } from "node:http";
import { SentBody } from "../../contract/sent-body.js";
import { FindlingError } from "../../errors/index.js";
import { parseJsonBody, parseSmallJsonBody, SMALL_BYTES } from "../../intake/parse-json-body.js";
import { UnreadBody } from "../../intake/unread-body.js";
import type { BodyLease } from "./body-budget.js";
import { announcesJson } from "./media-type.js";
import { readBody } from "./read-body.js";
import { releaseBody } from "./release-body.js";

/** The largest bodies, in bytes, by what a route takes (contract 8). */
export interface BodyLimits {
  readonly documents: number;
  readonly standard: number;
}

/** Longer bodies are rarely sent twice, and are parsed as they come. */
const NAMED_BYTES_MAX = 4_096;

/**
 * The parsed body; undefined if it is empty, whatever its content type says (contract 1.1). A large one is an
 * `UnreadBody` where that is wanted.
 *
 * @param lease grows to what the body takes in memory; giving it back is the caller's business
 * @throws FindlingError `payload_too_large`, `unsupported_media_type`, `invalid_json`, `invalid_request`,
 *   `rate_limited`
 */
export async function readJsonBody(
  message: IncomingMessage,
  contentType: string | undefined,
  bytesMax: number,
  lease: BodyLease,
  mayBeUnread: boolean,
): Promise<unknown> {
  const bytes = await readBody(message, bytesMax, lease);
  if (bytes.length === 0) return undefined;
  requireJson(message, contentType);
  if (mayBeUnread && bytes.length > SMALL_BYTES) return new UnreadBody(apart(bytes), lease);
  return await parsed(bytes, lease);
}

/**
 * A body that has been read, unparsed if it is short; then looking at its value throws `invalid_json`.
 *
 * @throws FindlingError as `readJsonBody`
 */
export function sentBodyOf(
  message: IncomingMessage,
  bytes: Buffer,
  lease: BodyLease,
): SentBody | Promise<SentBody> {
  if (bytes.length === 0) return SentBody.ofValue(undefined);
  requireJson(message, message.headers["content-type"]);
  if (bytes.length > NAMED_BYTES_MAX) return parsed(bytes, lease).then((value) => SentBody.ofValue(value));
  const text = bytes.toString("latin1");
  return SentBody.ofText(text, () => parseSmallJsonBody(text, lease));
}

async function parsed(bytes: Buffer, lease: BodyLease): Promise<unknown> {
  try {
    return await parseJsonBody(bytes, { memory: lease });
  } finally {
    releaseBody(bytes);
  }
}

/** The bytes in a buffer that holds nothing else: a copy, if what came in one piece was but a part of that. */
function apart(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(bytes);
}

function requireJson({ headers }: IncomingMessage, contentType: string | undefined): void {
  if (!announcesJson(contentType)) {
    throw new FindlingError(
      "unsupported_media_type",
      "the body's content type is not JSON; send 'Content-Type: application/json'",
    );
  }
  const encoding = headers["content-encoding"]?.trim().toLowerCase() ?? "";
  if (encoding !== "" && encoding !== "identity") {
    throw new FindlingError(
      "unsupported_media_type",
      "the body is compressed; send it without 'Content-Encoding'",
    );
  }
}
