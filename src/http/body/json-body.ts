import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { OperationId } from "../../contract/route-table.js";
import { type ErrorCode, FindlingError } from "../../errors/index.js";
import { DocumentRecords, type RecordFormat } from "../../intake/document-records.js";
import {
  DICTIONARY_BOUNDS,
  DOCUMENT_BOUNDS,
  parseJsonBody,
  QUERY_BOUNDS,
  SETTINGS_BOUNDS,
  SMALL_BYTES,
} from "../../intake/parse-json-body.js";
import type { JsonBounds } from "../../intake/scan-json.js";
import { UnreadBody } from "../../intake/unread-body.js";
import { BodyBudget, type BodyLease } from "./body-budget.js";
import type { ExpectedBodies } from "./expected-bodies.js";
import { type BodyArrival, contentEncodingOf, isKnownEncoding, readBody, releaseBody } from "./read-body.js";

/** The largest bodies, in bytes, by what a route takes (contract 8). */
export interface BodyLimits {
  readonly documents: number;
  readonly standard: number;
}

interface JsonBodyOptions {
  readonly bytesMax: number;
  /** Grows to what the body takes in memory; giving it back is the caller's business. */
  readonly lease: BodyLease;
  readonly operation: OperationId;
  readonly arrival: BodyArrival;
}

/**
 * The parsed body; undefined if it is empty, whatever its content type says (contract 1.1). A large one is an
 * `UnreadBody` where that is wanted.
 *
 * @throws FindlingError `payload_too_large`, `unsupported_media_type`, `invalid_json`, `invalid_request`,
 *   `rate_limited`
 */
async function readJsonBody(
  message: IncomingMessage,
  contentType: string | undefined,
  { bytesMax, lease, operation, arrival }: JsonBodyOptions,
): Promise<unknown> {
  const bytes = await readBody(message, bytesMax, lease, arrival);
  if (bytes.length === 0) return undefined;
  requireJson(message, contentType, operation);
  const format = recordFormatOf(contentType);
  if (format !== null) return new DocumentRecords(format, apart(bytes), lease);
  if (TAKES_UNREAD_BODIES.has(operation) && bytes.length > SMALL_BYTES) {
    return new UnreadBody(apart(bytes), lease);
  }
  return await parsed(bytes, lease, BOUNDS.get(operation) ?? SETTINGS_BOUNDS);
}

async function parsed(bytes: Buffer, lease: BodyLease, bounds: JsonBounds): Promise<unknown> {
  try {
    return await parseJsonBody(bytes, { memory: lease, bounds });
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

function requireJson(
  message: IncomingMessage,
  contentType: string | undefined,
  operation: OperationId,
): void {
  const takesRecords = TAKES_UNREAD_BODIES.has(operation);
  if (!announcesJson(contentType) && (!takesRecords || recordFormatOf(contentType) === null)) {
    const others = takesRecords ? ", 'application/x-ndjson' or 'text/csv'" : "";
    throw new FindlingError(
      "unsupported_media_type",
      `the body's content type is not JSON; send 'Content-Type: application/json'${others}`,
    );
  }
  if (!isKnownEncoding(contentEncodingOf(message))) {
    throw new FindlingError(
      "unsupported_media_type",
      "the body is compressed in a way that isn't known; 'Content-Encoding' may be gzip or br",
    );
  }
}

/** None of them is registered, and clients use each. */
const NDJSON_TYPES: ReadonlySet<string> = new Set(
  ["ndjson", "jsonl", "jsonlines", "json-lines"].flatMap((name) => [
    `application/${name}`,
    `application/x-${name}`,
  ]),
);

/** Null for what isn't a list of records. */
function recordFormatOf(contentType: string | undefined): RecordFormat | null {
  const mediaType = (contentType ?? "").split(";", 1)[0]!.trim().toLowerCase();
  if (NDJSON_TYPES.has(mediaType)) return "ndjson";
  return mediaType === "text/csv" ? "csv" : null;
}

/**
 * Whether a `Content-Type` announces JSON: `application/json` or `application/*+json` with any
 * parameters, or no header at all (contract 1.1).
 */
export function announcesJson(contentType: string | undefined): boolean {
  if (contentType === undefined || contentType === "application/json") return true;
  const mediaType = contentType.split(";", 1)[0]!.trim().toLowerCase();
  return (
    mediaType === "" || mediaType === "application/json" || /^application\/[^\s/;]+\+json$/.test(mediaType)
  );
}

/** The share of all bodies' memory that is kept from documents: a flood of them leaves searches alone. */
const OTHER_BODIES_SHARE = 1 / 8;

/** Those whose handlers know what to do with an `UnreadBody`. */
const TAKES_UNREAD_BODIES: ReadonlySet<OperationId> = new Set<OperationId>(["addDocuments"]);

/** Queries are read as far as they can be, as on the short way; values of documents keep their digits. */
const BOUNDS: ReadonlyMap<OperationId, JsonBounds> = new Map<OperationId, JsonBounds>([
  ["searchIndex", QUERY_BOUNDS],
  ["searchFederation", QUERY_BOUNDS],
  ["summarizeSearch", QUERY_BOUNDS],
  ["summarizeSearchAsText", QUERY_BOUNDS],
  ["addDocuments", DOCUMENT_BOUNDS],
  ["updateDocuments", DOCUMENT_BOUNDS],
  ["addSynonyms", DICTIONARY_BOUNDS],
  ["deleteSynonyms", DICTIONARY_BOUNDS],
  ["addStopwords", DICTIONARY_BOUNDS],
  ["deleteStopwords", DICTIONARY_BOUNDS],
  ["deleteDocumentsByField", { ...SETTINGS_BOUNDS, keepsIntegers: true }],
]);

/** Memory that bodies may take, by what a route takes. */
export type BodyBudgets = Readonly<Record<keyof BodyLimits, BodyBudget>>;

/** @param bytesMax of all running requests together */
export function bodyBudgets(bytesMax: number): BodyBudgets {
  return {
    documents: new BodyBudget(bytesMax * (1 - OTHER_BODIES_SHARE)),
    standard: new BodyBudget(bytesMax * OTHER_BODIES_SHARE),
  };
}

/**
 * Refusals after which the connection goes on, as all of the body has come, or is let through so that its sender, still
 * busy sending, sees why. After the others the framework closes it.
 */
const LET_THROUGH: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["invalid_json", "rate_limited"]);

export interface BodyReading {
  readonly limits: BodyLimits;
  readonly budgets: BodyBudgets;
  readonly expected: ExpectedBodies;
  /** How long nothing of a body may arrive, in milliseconds. */
  readonly silenceMs: number;
}

/** Makes the framework read bodies as routes want them, with what they take in memory leased from the budgets. */
export function readBodies(
  app: FastifyInstance,
  { limits, budgets, expected, silenceMs }: BodyReading,
): void {
  app.decorateRequest("bodyLease", null);
  app.decorateRequest("bodyProblem", null);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", async (request: FastifyRequest) => {
    const { raw, sentContentType } = request;
    const row = request.routeOptions.config.row;
    const onWanted = (): void => expected.goOn(raw);
    if (row === undefined || row.body === null) {
      onWanted();
      raw.resume();
      return undefined;
    }
    const lease = budgets[row.bodyLimit].lease();
    try {
      // Others have sent theirs, which is let through.
      if (expected.isWaiting(raw)) requireJson(raw, sentContentType, row.operationId);
      request.bodyLease = lease;
      return await readJsonBody(raw, sentContentType, {
        bytesMax: limits[row.bodyLimit],
        lease,
        operation: row.operationId,
        arrival: { silenceMs, onWanted },
      });
    } catch (error) {
      request.bodyLease = null;
      lease.release();
      if (!(error instanceof FindlingError) || !LET_THROUGH.has(error.code)) throw error;
      request.bodyProblem = error;
      return undefined;
    }
  });
}
