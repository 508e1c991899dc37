import { FindlingError } from "../errors/index.js";
import { hasMoreCodePoints } from "./code-points.js";
import { nearestName } from "./nearest-name.js";
import { type OrderKey, parseDirectedField, parseOrderKeys } from "./order-key.js";
import type { SearchClause, SearchRequest } from "./search.js";
import { parseSearchExtensions } from "./search-extensions.js";
import { asWireObject, describeKind, memberOf, type WireObject } from "./wire-object.js";

/** Limits of one search request (contract 8). */
export interface SearchLimits {
  readonly defaultLimit: number;
  readonly maxLimit: number;
  /** In a query array. */
  readonly maxClauses: number;
  /** Of one `ctx`, in code points. */
  readonly maxContextLength: number;
  /** Levels of parentheses and NOT in one query string. */
  readonly maxQueryDepth: number;
  /** Terms that one search looks up: every word in each field that it is searched in. */
  readonly maxQueryTerms: number;
}

export const DEFAULT_SEARCH_LIMITS: SearchLimits = {
  defaultLimit: 20,
  maxLimit: 200,
  maxClauses: 64,
  maxContextLength: 10_000,
  maxQueryDepth: 64,
  maxQueryTerms: 20_000,
};

type Mutable<T> = { -readonly [Member in keyof T]: T[Member] };

const MODES = ["fuzzy", "exact", "dynamic"] as const;
type Mode = (typeof MODES)[number];

/**
 * The search that a body asks for (contract 3.4), every default filled in.
 *
 * @throws FindlingError `invalid_request`, `limit_too_large`, `minimum_should_match_too_large`
 */
export function parseSearchBody(body: unknown, limits: SearchLimits): SearchRequest {
  const object = requireObject(body, "the body");
  const clauses = parseQuery(memberOf(object, "query"), {
    limits,
    occur: parseOccur(object, "occur"),
    path: "query",
  });
  const { orderBy, orderKeys, sort } = parseOrder(object);
  const minimum = parseMinimum(object, clauses);
  const extensions = parseSearchExtensions(object, orderKeys);
  const limit = parseLimit(object, limits);
  if (extensions?.cursor === true) requirePageLimit(limit);
  // No hit is further back than that; greater numbers can't be added to exactly.
  const offset = Math.min(parseCount(memberOf(object, "offset") ?? 0, "offset"), Number.MAX_SAFE_INTEGER);
  // Assigned one by one where there is something: spreading each takes several times as long.
  const request: Mutable<SearchRequest> = { clauses, limit, offset, sort };
  if (orderBy !== undefined) request.order_by = orderBy;
  if (minimum !== undefined) request.minimum_number_should_match = minimum;
  if (extensions !== undefined) request.extensions = extensions;
  return request;
}

/**
 * The documents that a body of `DELETE …/documents/query` names: `{"query": …}` as in a search, or a
 * bare clause. Other members are ignored.
 *
 * @throws FindlingError `invalid_request`
 */
export function parseDeleteByQueryBody(body: unknown, limits: SearchLimits): readonly SearchClause[] {
  const object = requireObject(body, "the body");
  const isBare = MODES.some((mode) => memberOf(object, mode) !== undefined);
  const query = memberOf(object, "query") ?? (isBare ? object : undefined);
  return parseQuery(query, { limits, occur: undefined, path: query === object ? "" : "query" });
}

interface QueryOptions {
  readonly limits: SearchLimits;
  /** What a single clause without an occur of its own gets. */
  readonly occur: SearchClause["occur"] | undefined;
  readonly path: string;
}

function parseQuery(query: unknown, options: QueryOptions): readonly SearchClause[] {
  const { limits, path } = options;
  if (query === undefined) throw invalid(path, "'query' is missing");
  if (typeof query === "string") {
    return [{ mode: "fuzzy", ctx: parseContext(query, path, limits), occur: options.occur ?? "should" }];
  }
  if (!Array.isArray(query)) {
    if (asWireObject(query) !== undefined) return [parseClause(query, options)];
    throw invalid(
      path,
      `'${path}' must be an object, a list of objects or a string, not ${describeKind(query)}`,
    );
  }
  if (query.length === 0) throw invalid(path, `'${path}' must hold at least one clause`);
  if (query.length > limits.maxClauses) {
    throw invalid(path, `'${path}' holds ${query.length} clauses, at most ${limits.maxClauses} are allowed`);
  }
  return query.map((clause, i) => parseClause(clause, { limits, occur: undefined, path: `${path}[${i}]` }));
}

function parseClause(value: unknown, { limits, occur, path }: QueryOptions): SearchClause {
  const clause = requireObject(value, path === "" ? "the body" : `'${path}'`);
  const mode = parseMode(clause, path);
  const place = join(path, mode);
  const options = requireObject(memberOf(clause, mode), `'${place}'`);
  const ctx = memberOf(options, "ctx");
  const asYouType = parseAsYouType(memberOf(options, "as_you_type"), mode, `${place}.as_you_type`);
  if (typeof ctx !== "string") {
    const found = ctx === undefined ? "is missing" : `must be a string, not ${describeKind(ctx)}`;
    throw invalid(`${place}.ctx`, `'${place}.ctx' ${found}`);
  }
  const parsed = {
    mode,
    ctx: parseContext(ctx, `${place}.ctx`, limits),
    occur: parseOccur(clause, join(path, "occur")) ?? occur ?? "should",
  };
  return asYouType ? { ...parsed, as_you_type: true } : parsed;
}

function parseAsYouType(value: unknown, mode: Mode, path: string): boolean {
  if (value === undefined || value === false) return false;
  if (value !== true) throw invalid(path, `'${path}' must be true or false, not ${describeKind(value)}`);
  if (mode !== "fuzzy") return true;
  throw invalid(path, `'${path}': the fuzzy mode looks for whole words; use exact or dynamic`);
}

function parseMode(clause: WireObject, path: string): Mode {
  const unknown = Object.keys(clause).find(
    (name) => !(MODES as readonly string[]).includes(name) && looksLikeMode(memberOf(clause, name)),
  );
  if (unknown !== undefined) {
    const nearest = nearestName(unknown, MODES);
    const advice = nearest === undefined ? `there are ${MODES.join(", ")}` : `did you mean '${nearest}'?`;
    throw invalid(join(path, unknown), `'${unknown}' is not a query mode, ${advice}`);
  }
  const modes = MODES.filter((mode) => memberOf(clause, mode) !== undefined);
  const [mode] = modes;
  if (mode === undefined || modes.length > 1) {
    const found = modes.length === 0 ? "none" : modes.join(" and ");
    const subject = path === "" ? "the body" : `'${path}'`;
    throw invalid(path, `${subject} must have exactly one of ${MODES.join(", ")}, it has ${found}`);
  }
  return mode;
}

function looksLikeMode(value: unknown): boolean {
  return memberOf(asWireObject(value) ?? {}, "ctx") !== undefined;
}

function parseContext(ctx: string, path: string, limits: SearchLimits): string {
  if (!hasMoreCodePoints(ctx, limits.maxContextLength)) return ctx;
  throw invalid(path, `'${path}' is longer than ${limits.maxContextLength} characters`);
}

function parseOccur(object: WireObject, path: string): SearchClause["occur"] | undefined {
  const occur = memberOf(object, "occur");
  if (occur === undefined || occur === "should" || occur === "must") return occur;
  throw invalid(path, `'${path}' must be should or must`);
}

/** @throws FindlingError `invalid_request`, `limit_too_large` */
export function parseLimit(object: WireObject, limits: SearchLimits): number {
  const limit = parseCount(memberOf(object, "limit") ?? limits.defaultLimit, "limit");
  if (limit <= limits.maxLimit) return limit;
  throw new FindlingError("limit_too_large", `'limit' is ${limit}, at most ${limits.maxLimit} is allowed`);
}

/** @throws FindlingError `invalid_request` for pages on which no cursor would ever get on */
export function requirePageLimit(limit: number): void {
  if (limit === 0) throw invalid("limit", "'limit' must be at least 1 with a cursor");
}

function parseCount(value: unknown, name: string): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0) return value;
  const found = typeof value === "number" ? value : describeKind(value);
  throw invalid(name, `'${name}' must be an integer of at least 0, not ${found}`);
}

/** `sort` may carry the field as well: `price:asc` stands for ordering by `price`, ascending. */
function parseOrder(object: WireObject): {
  readonly orderBy?: string;
  readonly orderKeys?: readonly OrderKey[];
  readonly sort: SearchRequest["sort"];
} {
  const orderBy = memberOf(object, "order_by") ?? "";
  const sort = memberOf(object, "sort") ?? "desc";
  const isList = Array.isArray(orderBy);
  if (!isList && typeof orderBy !== "string") {
    throw invalid("order_by", `'order_by' must be a field's name or a list, not ${describeKind(orderBy)}`);
  }
  if (sort === "asc" || sort === "desc") {
    if (orderBy.length === 0) return { sort };
    return isList ? { orderKeys: parseOrderKeys(orderBy, sort), sort } : { orderBy, sort };
  }
  const directed = typeof sort === "string" && !isList ? parseDirectedField(sort) : null;
  if (directed !== null) return { orderBy: directed.field, sort: directed.direction };
  const alternative = isList ? "" : ", or a field with it such as price:asc";
  throw invalid("sort", `'sort' must be asc or desc${alternative}`);
}

function parseMinimum(object: WireObject, clauses: readonly SearchClause[]): number | undefined {
  const name = "minimum_number_should_match";
  const value = memberOf(object, name);
  if (value === undefined) return undefined;
  const count = clauses.filter((clause) => clause.occur === "should").length;
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= count) return value;
  const message = `'${name}' must be an integer from 0 to the number of should clauses, which is ${count}`;
  throw new FindlingError("minimum_should_match_too_large", message, { items: [{ path: name, message }] });
}

/** @param subject the value's place, as a message begins with it */
function requireObject(value: unknown, subject: string): WireObject {
  const object = asWireObject(value);
  if (object !== undefined) return object;
  throw new FindlingError("invalid_request", `${subject} must be an object, not ${describeKind(value)}`);
}

function join(path: string, member: string): string {
  return path === "" ? member : `${path}.${member}`;
}

function invalid(path: string, message: string): FindlingError {
  return new FindlingError("invalid_request", message, { items: [{ path, message }] });
}
