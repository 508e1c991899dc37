import type { IncomingMessage } from "node:http";
import { FindlingError } from "../../errors/index.js";
import { parseJsonBody, SMALL_BYTES } from "../../intake/parse-json-body.js";
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
  if (!announcesJson(contentType)) {
    throw new FindlingError(
      "unsupported_media_type",
      "the body's content type is not JSON; send 'Content-Type: application/json'",
    );
  }
  const encoding = message.headers["content-encoding"]?.trim().toLowerCase() ?? "";
  if (encoding !== "" && encoding !== "identity") {
    throw new FindlingError(
      "unsupported_media_type",
      "the body is compressed; send it without 'Content-Encoding'",
    );
  }
  if (mayBeUnread && bytes.length > SMALL_BYTES) return new UnreadBody(apart(bytes), lease.limit);
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
