import type { IncomingMessage } from "node:http";
import { FindlingError } from "../../errors/index.js";
import type { BodyLease } from "./body-budget.js";
import { announcesJson } from "./media-type.js";
import { parseJsonBody } from "./parse-json-body.js";
import { readBody } from "./read-body.js";
import { releaseBody } from "./release-body.js";

/** The largest bodies, in bytes, by what a route takes (contract 8). */
export interface BodyLimits {
  readonly documents: number;
  readonly standard: number;
}

/**
 * The parsed body; undefined if it is empty, whatever its content type says (contract 1.1).
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
  try {
    return await parseJsonBody(bytes, { lease });
  } finally {
    releaseBody(bytes);
  }
}
