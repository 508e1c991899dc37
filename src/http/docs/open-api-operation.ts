import type { FastifySchema } from "fastify";
import { Type } from "typebox";
import { PERMISSION } from "../../contract/access-key.js";
import { successEnvelope } from "../../contract/envelope.js";
import type { RouteRow } from "../../contract/route-table.js";
import type { ErrorCode } from "../../errors/index.js";
import { statusOf } from "../answers/error-answer.js";

/** Name of the security scheme and of the shared error schema in the OpenAPI document. */
export const KEY_SCHEME = "key";
export const ERROR_SCHEMA_ID = "Error";

/** A route's part of the OpenAPI document, every answer that it can give included. */
export function openApiOperation(row: RouteRow): FastifySchema {
  const names = [...row.path.matchAll(/:([a-z_]+)/g)].map((match) => match[1]!);
  const parameters = Object.fromEntries(names.map((name) => [name, Type.String()]));
  return {
    operationId: row.operationId,
    tags: [row.tag],
    summary: row.summary,
    description: accessSentence(row),
    security: row.access.kind === "public" ? [] : [{ [KEY_SCHEME]: [] }],
    ...(names.length > 0 && { params: Type.Object(parameters) }),
    ...(row.query !== undefined && { querystring: row.query }),
    ...(row.body !== null && { body: row.body }),
    response: {
      200: successAnswer(row),
      ...(row.accepted !== undefined && {
        202: {
          description: "Begun, and not done yet",
          ...Type.Object({ status: Type.Literal(202), data: row.accepted }, { additionalProperties: false }),
        },
      }),
      ...errorAnswers(row),
    },
  };
}

export function accessSentence(row: RouteRow): string {
  switch (row.access.kind) {
    case "public":
      return "Needs no key.";
    case "any_key":
      return "Needs any active key.";
    case "permission": {
      const needed = row.access.bits;
      const bits = Object.values(PERMISSION).filter((bit) => (needed & bit) !== 0);
      const own = row.access.ownKey ? " Any active key may use it on itself." : "";
      const strict =
        row.access.bitsIfStrict === undefined
          ? ""
          : ` Where the operator asks for it, ${row.access.bitsIfStrict} too.`;
      const measuring =
        row.access.bitsIfReadKeysMeasure === undefined
          ? ""
          : ` Where the operator lets read keys measure, ${row.access.bitsIfReadKeysMeasure} is enough.`;
      return `Needs a key with permission ${bits.join(" and ")}.${own}${strict}${measuring}`;
    }
  }
}

function successAnswer({ answer, answerType, mirrored }: RouteRow): object {
  if (answerType === undefined) return { description: "Success", ...successEnvelope(answer, mirrored) };
  return { description: "Success: a stream", content: { [answerType]: { schema: answer } } };
}

/** One documented answer for each error status, with the codes that it can carry. */
function errorAnswers(row: RouteRow): Record<string, unknown> {
  const codesByStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodesOf(row)) {
    const status = statusOf(code);
    codesByStatus.set(status, [...(codesByStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...codesByStatus].map(([status, codes]) => [
      status,
      { description: `Error: ${codes.map((code) => `\`${code}\``).join(", ")}`, $ref: `${ERROR_SCHEMA_ID}#` },
    ]),
  );
}

/** The codes of the row and those that follow from its access, scope, path and body. */
export function errorCodesOf(row: RouteRow): readonly ErrorCode[] {
  const codes: ErrorCode[] = [...row.errors];
  if (row.path.includes(":")) codes.push("invalid_request");
  if (row.access.kind !== "public") codes.push("missing_key", "invalid_key", "inactive_key");
  if (row.access.kind === "permission") codes.push("insufficient_permissions");
  if (row.operationId === "checkPermission") codes.push("insufficient_permissions");
  if (row.scope !== "none" && row.scope !== "filtered") codes.push("index_not_allowed");
  if (row.body !== null) {
    codes.push("invalid_json", "invalid_request", "payload_too_large", "unsupported_media_type");
  }
  if (row.method !== "GET" && row.access.kind !== "public") codes.push("rate_limited");
  codes.push("internal", "shutting_down", "storage_unavailable");
  return [...new Set(codes)];
}
