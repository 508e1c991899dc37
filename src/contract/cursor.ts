import Type, { type TSchema } from "typebox";
import { type IgnoredMember, ignoredBesideCursor } from "./ignored-members.js";
import { invalidMember } from "./invalid-member.js";
import { parseLimit, requirePageLimit, type SearchLimits } from "./search-body.js";
import { asWireObject, memberOf } from "./wire-object.js";

/** A body that asks for the next page of a search: everything but the limit is that of the first request. */
export interface CursorRequest {
  readonly token: string;
  /** Absent: that of the first request. */
  readonly limit?: number;
  /** Members of the body that mean nothing; absent = none. */
  readonly ignoredMembers?: readonly IgnoredMember[];
}

/** Would have no effect beside a token, against what their sender expects. */
const MEMBERS_OF_THE_FIRST = [
  "query",
  "offset",
  "order_by",
  "sort",
  "minimum_number_should_match",
  "occur",
  "highlight",
  "fields",
  "facets",
  "explain",
] as const;

/** The token of a body that goes on with a search; undefined for one that begins a search. */
export function cursorTokenOf(body: unknown): string | undefined {
  const token = memberOf(asWireObject(body) ?? {}, "cursor");
  return typeof token === "string" ? token : undefined;
}

/**
 * @param body one that has a token
 * @throws FindlingError `invalid_request`, `limit_too_large`
 */
export function parseCursorBody(body: unknown, limits: SearchLimits): CursorRequest {
  const object = asWireObject(body) ?? {};
  const token = cursorTokenOf(body) ?? "";
  const besides = MEMBERS_OF_THE_FIRST.find((name) => memberOf(object, name) !== undefined);
  if (besides !== undefined) {
    const problem = "can't be changed along the pages of a cursor: beside 'cursor' there may only be 'limit'";
    throw invalidMember(besides, problem);
  }
  const ignoredMembers = ignoredBesideCursor(object);
  const request = { token, ...(ignoredMembers !== undefined && { ignoredMembers }) };
  if (memberOf(object, "limit") === undefined) return request;
  const limit = parseLimit(object, limits);
  requirePageLimit(limit);
  return { ...request, limit };
}

/** For the OpenAPI document. */
export const CURSOR_BODY_SCHEMA: TSchema = Type.Object(
  {
    cursor: Type.String({
      description:
        "Extension. The `cursor` of the page before: asks for the next one. All else is as in the first request.",
    }),
    limit: Type.Optional(Type.Integer({ minimum: 1, description: "Default that of the first request." })),
  },
  { description: "The next page of a search that was begun with `cursor`." },
);
