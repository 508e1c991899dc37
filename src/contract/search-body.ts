import { FindlingError } from "../errors/index.js";
import { hasMoreCodePoints } from "./code-points.js";
import { ignoredMembers } from "./ignored-members.js";
import { invalidMember, notAnObject, refusalAt, requireObject } from "./invalid-member.js";
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
  /** How long one `ctx` may be, in code points. */
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
  const object = requireObject(body);
  const query = memberOf(object, "query");
  if (query === undefined) requireTokenOrFlag(memberOf(object, "cursor"));
  const clauses = parseQuery(query, {
    limits,
    occur: parseOccur(object, ""),
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
  const ignored = ignoredMembers(object);
  if (ignored !== undefined) request.ignoredMembers = ignored;
  return request;
}

/**
 * The documents that a body of `DELETE …/documents/query` names: `{"query": …}` as in a search, or a
 * bare clause. Other members are ignored.
 *
 * @throws FindlingError `invalid_request`
 */
export function parseDeleteByQueryBody(body: unknown, limits: SearchLimits): readonly SearchClause[] {
  const object = requireObject(body);
  const isBare = MODES.some((mode) => memberOf(object, mode) !== undefined);
  const query = memberOf(object, "query") ?? (isBare ? object : undefined);
  return parseQuery(query, { limits, occur: undefined, path: query === object ? "" : "query" });
}

/** Without a query the body was meant to go on with another search. */
function requireTokenOrFlag(cursor: unknown): void {
  if (cursor === undefined || typeof cursor === "boolean" || typeof cursor === "string") return;
  throw invalidMember(
    "cursor",
    `must be the text that the page before came with, not ${describeKind(cursor)}`,
  );
}

interface QueryOptions {
  readonly limits: SearchLimits;
  /** What a single clause without an occur of its own gets. */
  readonly occur: SearchClause["occur"] | undefined;
  readonly path: string;
}

function parseQuery(query: unknown, options: QueryOptions): readonly SearchClause[] {
  const { limits, path } = options;
  if (query === undefined) throw refusalAt(path, "'query' is missing");
  if (typeof query === "string") {
    if (isTooLong(query, limits)) throw tooLong(path, limits);
    return [{ mode: "fuzzy", ctx: query, occur: options.occur ?? "should" }];
  }
  if (!Array.isArray(query)) {
    if (asWireObject(query) !== undefined) return [parseClause(query, options)];
    throw invalidMember(path, `must be an object, a list of objects or a string, not ${describeKind(query)}`);
  }
  if (query.length === 0) throw invalidMember(path, "must hold at least one clause");
  if (query.length > limits.maxClauses) {
    throw invalidMember(path, `holds ${query.length} clauses, at most ${limits.maxClauses} are allowed`);
  }
  return query.map((clause, i) => parseClause(clause, { limits, occur: undefined, path: `${path}[${i}]` }));
}

function parseClause(value: unknown, { limits, occur, path }: QueryOptions): SearchClause {
  // Where a part stands is put into words for a message alone: it takes as long as looking at the part.
  const clause = asWireObject(value);
  if (clause === undefined) throw notAnObject(value, path === "" ? "the body" : `'${path}'`);
  const mode = parseMode(clause, path);
  const member = memberOf(clause, mode);
  const options = asWireObject(member);
  if (options === undefined) throw notAnObject(member, `'${join(path, mode)}'`);
  const ctx = memberOf(options, "ctx");
  const asYouType = parseAsYouType(memberOf(options, "as_you_type"), join(path, mode));
  const needsAll = parseMatch(memberOf(options, "match"), mode, path);
  if (typeof ctx !== "string") {
    const place = `${join(path, mode)}.ctx`;
    const found = ctx === undefined ? "is missing" : `must be a string, not ${describeKind(ctx)}`;
    throw invalidMember(place, found);
  }
  if (isTooLong(ctx, limits)) throw tooLong(`${join(path, mode)}.ctx`, limits);
  const parsed: Mutable<SearchClause> = { mode, ctx, occur: parseOccur(clause, path) ?? occur ?? "should" };
  if (asYouType) parsed.as_you_type = true;
  if (needsAll) parsed.match = "all";
  return parsed;
}

/** @param path of the mode */
function parseAsYouType(value: unknown, path: string): boolean {
  if (value === undefined || value === false) return false;
  if (value === true) return true;
  const place = `${path}.as_you_type`;
  throw invalidMember(place, `must be true or false, not ${describeKind(value)}`);
}

/** Whether every word is needed. @param path of the clause */
function parseMatch(value: unknown, mode: Mode, path: string): boolean {
  if (value === undefined || (value === "any" && mode === "fuzzy")) return false;
  if (value === "all" && mode === "fuzzy") return true;
  const place = `${join(path, mode)}.match`;
  if (value !== "any" && value !== "all") throw invalidMember(place, "must be any or all");
  const instead = mode === "exact" ? "write AND between the words" : "use the fuzzy mode";
  throw refusalAt(place, `'${place}': only the fuzzy mode has it; ${instead}`);
}

function parseMode(clause: WireObject, path: string): Mode {
  let unknown: string | undefined;
  for (const name of Object.keys(clause)) {
    if ((MODES as readonly string[]).includes(name) || !looksLikeMode(clause[name])) continue;
    unknown = name;
    break;
  }
  if (unknown !== undefined) {
    const nearest = nearestName(unknown, MODES);
    const advice = nearest === undefined ? `there are ${MODES.join(", ")}` : `did you mean '${nearest}'?`;
    throw refusalAt(join(path, unknown), `'${unknown}' is not a query mode, ${advice}`);
  }
  const modes = MODES.filter((mode) => memberOf(clause, mode) !== undefined);
  const [mode] = modes;
  if (mode === undefined || modes.length > 1) {
    const found = modes.length === 0 ? "none" : modes.join(" and ");
    const subject = path === "" ? "the body" : `'${path}'`;
    throw refusalAt(path, `${subject} must have exactly one of ${MODES.join(", ")}, it has ${found}`);
  }
  return mode;
}

function looksLikeMode(value: unknown): boolean {
  const options = asWireObject(value);
  return options !== undefined && memberOf(options, "ctx") !== undefined;
}

function isTooLong(ctx: string, { maxContextLength }: SearchLimits): boolean {
  if (hasMoreCodePoints(ctx, maxContextLength)) return true;
  const mayGrow = ctx.length * NORMALIZED_GROWTH_MAX > maxContextLength;
  return mayGrow && hasMoreCodePoints(ctx.normalize("NFKC"), maxContextLength);
}

/** As many code points one may become in NFKC, in which words are looked for: U+FDFA is three words and a half. */
const NORMALIZED_GROWTH_MAX = 18;

function tooLong(path: string, { maxContextLength }: SearchLimits): FindlingError {
  return invalidMember(
    path,
    `is longer than ${maxContextLength} characters, signs such as U+FDFA or … counted as what they stand for`,
  );
}

/** @param path of the object */
function parseOccur(object: WireObject, path: string): SearchClause["occur"] | undefined {
  const occur = memberOf(object, "occur");
  if (occur === undefined || occur === "should" || occur === "must") return occur;
  const place = join(path, "occur");
  throw invalidMember(place, "must be should or must");
}

/** @throws FindlingError `invalid_request`, `limit_too_large` */
export function parseLimit(object: WireObject, limits: SearchLimits): number {
  const limit = parseCount(memberOf(object, "limit") ?? limits.defaultLimit, "limit");
  if (limit <= limits.maxLimit) return limit;
  throw new FindlingError("limit_too_large", `'limit' is ${limit}, at most ${limits.maxLimit} is allowed`);
}

/** @throws FindlingError `invalid_request` for pages on which no cursor would ever get on */
export function requirePageLimit(limit: number): void {
  if (limit === 0) throw invalidMember("limit", "must be at least 1 with a cursor");
}

function parseCount(value: unknown, name: string): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0) return value;
  const found = typeof value === "number" ? value : describeKind(value);
  throw invalidMember(name, `must be an integer of at least 0, not ${found}`);
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
    throw invalidMember("order_by", `must be a field's name or a list, not ${describeKind(orderBy)}`);
  }
  if (sort === "asc" || sort === "desc") {
    if (orderBy.length === 0) return { sort };
    return isList ? { orderKeys: parseOrderKeys(orderBy, sort), sort } : { orderBy, sort };
  }
  const directed = typeof sort === "string" && !isList ? parseDirectedField(sort) : null;
  if (directed !== null) return { orderBy: directed.field, sort: directed.direction };
  const alternative = isList ? "" : ", or a field with it such as price:asc";
  throw invalidMember("sort", `must be asc or desc${alternative}`);
}

function parseMinimum(object: WireObject, clauses: readonly SearchClause[]): number | undefined {
  const name = "minimum_number_should_match";
  const value = memberOf(object, name);
  if (value === undefined) return undefined;
  const count = clauses.filter((clause) => clause.occur === "should").length;
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= count) return value;
  const problem = `must be an integer from 0 to the number of should clauses, which is ${count}`;
  throw invalidMember(name, problem, "minimum_should_match_too_large");
}

function join(path: string, member: string): string {
  return path === "" ? member : `${path}.${member}`;
}
