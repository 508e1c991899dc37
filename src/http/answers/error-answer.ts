import type { FastifyError } from "fastify";
import { type ErrorCode, FindlingError } from "../../errors/index.js";
import type { Logger } from "../log/logger.js";

/** The HTTP status of every code (contract 1.6). */
const STATUS_BY_CODE = {
  invalid_json: 400,
  invalid_request: 400,
  unsupported_media_type: 415,
  payload_too_large: 413,
  missing_key: 401,
  invalid_key: 401,
  inactive_key: 401,
  insufficient_permissions: 403,
  index_not_allowed: 403,
  origin_not_allowed: 403,
  not_found: 404,
  method_not_allowed: 405,
  index_not_found: 404,
  index_exists: 409,
  alias_not_found: 404,
  alias_conflict: 409,
  invalid_index: 400,
  invalid_schema: 400,
  not_patchable: 400,
  federation_not_found: 404,
  invalid_federation: 400,
  document_not_found: 404,
  version_conflict: 409,
  invalid_document: 400,
  key_not_found: 404,
  query_syntax: 400,
  unknown_field: 400,
  field_not_indexed: 400,
  invalid_field_value: 400,
  invalid_order_by: 400,
  limit_too_large: 400,
  minimum_should_match_too_large: 400,
  cursor_expired: 400,
  search_timeout: 400,
  not_supported: 400,
  conflict: 409,
  ai_disabled: 400,
  ai_not_configured: 400,
  summary_not_configured: 400,
  invalid_llm_provider: 400,
  rate_limited: 429,
  // Of models: they happen inside an event stream, whose status is long sent.
  model_refused: 502,
  model_overloaded: 502,
  model_unavailable: 502,
  backup_not_configured: 400,
  backup_not_found: 404,
  backup_running: 409,
  backup_damaged: 409,
  shutting_down: 503,
  storage_unavailable: 503,
  storage_corrupt: 500,
  storage_locked: 503,
  invalid_configuration: 500,
  internal: 500,
} as const satisfies Record<ErrorCode, number>;

/** The sender stopped in the middle of a request: 408, which no code has by itself. */
export class RequestTimeout extends FindlingError {
  constructor() {
    super("invalid_request", "the request did not arrive completely in time");
  }
}

export function statusOf(code: ErrorCode): number {
  return STATUS_BY_CODE[code];
}

/** The body of contract 1.5. */
export interface ErrorBody {
  readonly status: number;
  readonly message: string;
  readonly data: {
    readonly error: string;
    readonly code: ErrorCode;
    readonly details?: string;
    readonly errors?: readonly { readonly path: string; readonly message: string }[];
  };
}

/** A message that quotes the request is not answered at the request's length. */
const TEXT_LENGTH_MAX = 2000;
const ITEMS_MAX = 100;

export function errorBody(error: FindlingError): ErrorBody {
  const message = cut(error.message);
  return {
    status: error instanceof RequestTimeout ? 408 : statusOf(error.code),
    message,
    data: {
      error: message,
      code: error.code,
      // What the message says anyhow isn't said twice.
      ...(error.details !== undefined &&
        !error.message.includes(error.details) && { details: cut(error.details) }),
      ...(error.items !== undefined && {
        errors: error.items
          .slice(0, ITEMS_MAX)
          .map((item) => ({ path: cut(item.path), message: cut(item.message) })),
      }),
    },
  };
}

/** Seconds until a caller should try again where the error itself doesn't say. */
const RETRY_AFTER_SECONDS = 1;

/** What every 401 has to say (RFC 9110, 15.5.2): the key may come as it is, too, which no scheme has a name for. */
const CHALLENGE = 'Bearer realm="findling"';

export interface ErrorAnswer {
  readonly status: number;
  /** Which only answers of this status have; names and values in turns. */
  readonly headers: readonly string[];
  /** JSON. */
  readonly text: string;
  readonly code: ErrorCode;
}

export function errorAnswer(error: FindlingError): ErrorAnswer {
  const body = errorBody(error);
  return {
    status: body.status,
    headers: headersFor(body.status, error),
    text: JSON.stringify(body),
    code: error.code,
  };
}

function headersFor(status: number, error: FindlingError): readonly string[] {
  if (status === 401) return ["www-authenticate", CHALLENGE];
  if (status !== 429 && status !== 503) return [];
  const seconds = Math.max(1, Math.ceil(error.retryAfterSeconds ?? RETRY_AFTER_SECONDS));
  return ["retry-after", String(seconds)];
}

/**
 * The error to answer for whatever was thrown. Fastify's own complaints about a request keep their
 * meaning; everything unknown becomes `internal`, without a word of what happened (that is logged).
 */
export function asFindlingError(thrown: unknown): FindlingError {
  if (thrown instanceof FindlingError) {
    if (HIDDEN_CODES.has(thrown.code)) return hidden(thrown);
    return statusOf(thrown.code) < 500 ? thrown : withoutPaths(thrown);
  }
  const { code, statusCode } = (thrown ?? {}) as Partial<FastifyError>;
  if (code === "FST_ERR_BAD_URL") {
    return new FindlingError(
      "invalid_request",
      "the path holds a '%' that is not followed by two hexadecimal digits of valid UTF-8; encode it as '%25'",
    );
  }
  if (code === "FST_ERR_MAX_PARAM_LENGTH") {
    return new FindlingError(
      "not_found",
      "there is nothing at this path; /docs on this server shows what there is",
    );
  }
  if (
    typeof code === "string" &&
    code.startsWith("FST_ERR_CTP_") &&
    statusCode !== undefined &&
    statusCode < 500
  ) {
    return new FindlingError("invalid_request", "the request's body can't be read", { cause: thrown });
  }
  return new FindlingError("internal", INTERNAL_MESSAGE, { cause: thrown });
}

/** As `asFindlingError`; what went wrong here, and not with the request, is logged. */
export function reportedError(logger: Logger, requestId: string, thrown: unknown): FindlingError {
  const error = asFindlingError(thrown);
  if (statusOf(error.code) >= 500 && error.code !== "shutting_down") {
    const cause = error === thrown ? error : error.cause;
    logger.error({ request_id: requestId, err: cause }, "request failed");
  }
  return error;
}

/** Codes whose messages name files and settings of the operator's machine. */
const HIDDEN_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "internal",
  "storage_corrupt",
  "storage_locked",
  "invalid_configuration",
]);

const INTERNAL_MESSAGE = "something went wrong in the server; its log says what, under this request's id";

function hidden(error: FindlingError): FindlingError {
  const message =
    error.code === "storage_corrupt"
      ? "stored data is damaged; the server's log names the file"
      : error.code === "storage_locked"
        ? "another process holds the data folder"
        : INTERNAL_MESSAGE;
  const retry = error.retryAfterSeconds;
  return new FindlingError(error.code, message, {
    cause: error,
    ...(retry !== undefined && { retryAfterSeconds: retry }),
  });
}

/** A quoted path, as this server's and the system's messages have them; the first group is its last part. */
const QUOTED_PATH = /'[^']*[/\\]([^'/\\]*)'/g;

/** The text with names of files in place of their paths, which are the operator's business and in the log. */
function withoutPaths(error: FindlingError): FindlingError {
  const { code, message, details, items, retryAfterSeconds } = error;
  const texts = [message, details ?? "", ...(items ?? []).map((item) => item.message)];
  if (texts.every((text) => text.search(QUOTED_PATH) < 0)) return error;
  const shown = (text: string): string => text.replaceAll(QUOTED_PATH, "'$1'");
  return new FindlingError(code, shown(message), {
    cause: error,
    ...(details !== undefined && { details: shown(details) }),
    ...(items !== undefined && { items: items.map((item) => ({ ...item, message: shown(item.message) })) }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

function cut(text: string): string {
  if (text.length <= TEXT_LENGTH_MAX) return text;
  // Not through the middle of a surrogate pair.
  return `${text.slice(0, TEXT_LENGTH_MAX).replace(/[\ud800-\udbff]$/, "")}…`;
}
