import Type, { type TSchema } from "typebox";
import { nearestName } from "./nearest-name.js";
import { SEARCH_EXTENSION_MEMBERS } from "./search-extensions.js";
import { asWireObject, type WireObject } from "./wire-object.js";

/** A member of a request that means nothing, mostly one that is misspelt. */
export interface IgnoredMember {
  readonly name: string;
  /** The known member that it may have been meant for. */
  readonly nearest?: string;
  /** Where it stands, unless in the body itself. */
  readonly path?: string;
}

/** How many are named; more of them help nobody. */
const IGNORED_MEMBERS_MAX = 20;

/** How much of a name is repeated. */
const NAME_LENGTH_MAX = 100;

const BODY = new Set([
  "query",
  "limit",
  "offset",
  "order_by",
  "sort",
  "minimum_number_should_match",
  "occur",
  ...Object.keys(SEARCH_EXTENSION_MEMBERS),
]);
const CURSOR = new Set(["cursor", "limit"]);
const CLAUSE = new Set(["fuzzy", "exact", "dynamic", "occur"]);
const MODE = new Set(["ctx", "as_you_type", "match"]);
const HIGHLIGHT = new Set(["fields", "pre_tag", "post_tag", "fragment_size", "fragments"]);
const FACET = new Set(["depth", "size", "own_filter"]);
const ORDER_KEY = new Set(["field", "sort"]);

/**
 * The members of a search body that mean nothing, in the order of the text, at most 20. Those that are null count as
 * absent. To be called with a body that has been found right.
 *
 * @returns undefined where there are none, as nearly always
 */
export function ignoredMembers(body: WireObject): readonly IgnoredMember[] | undefined {
  const found: IgnoredMember[] = [];
  look(found, body, BODY, "");
  const { query, highlight, facets, order_by: order } = body;
  if (typeof query === "object") {
    if (!Array.isArray(query)) lookAtClause(found, query, "query");
    else for (let i = 0; i < query.length; i++) lookAtClause(found, query[i], `query[${i}]`);
  }
  look(found, highlight, HIGHLIGHT, "highlight");
  const byField = asWireObject(facets);
  if (byField !== undefined) {
    for (const name of Object.keys(byField)) look(found, byField[name], FACET, `facets.${name}`);
  }
  if (Array.isArray(order)) {
    for (let i = 0; i < order.length; i++) look(found, order[i], ORDER_KEY, `order_by[${i}]`);
  }
  return found.length === 0 ? undefined : found;
}

/** What is passed over in a body that asks for the next page, which goes by the first page's body in all else. */
export function ignoredBesideCursor(body: WireObject): readonly IgnoredMember[] | undefined {
  return ignoredAmong(body, CURSOR);
}

/** Members of an object, such as a URL's query, that means nothing but the known ones. */
export function ignoredAmong(
  members: WireObject,
  known: ReadonlySet<string>,
): readonly IgnoredMember[] | undefined {
  const found: IgnoredMember[] = [];
  look(found, members, known, "");
  return found.length === 0 ? undefined : found;
}

function lookAtClause(found: IgnoredMember[], clause: unknown, path: string): void {
  look(found, clause, CLAUSE, path);
  const members = asWireObject(clause) ?? {};
  for (const mode of ["fuzzy", "exact", "dynamic"]) look(found, members[mode], MODE, path, mode);
}

/** @param mode where the object stands below the path */
function look(
  found: IgnoredMember[],
  value: unknown,
  known: ReadonlySet<string>,
  path: string,
  mode?: string,
): void {
  const object = asWireObject(value);
  if (object === undefined) return;
  for (const name in object) {
    if (known.has(name) || object[name] === null || found.length >= IGNORED_MEMBERS_MAX) continue;
    const nearest = nearestName(name, [...known]);
    const place = mode === undefined ? path : `${path}.${mode}`;
    const shown = name.slice(0, NAME_LENGTH_MAX);
    found.push({
      name: shown,
      ...(nearest !== undefined && { nearest }),
      ...(place !== "" && { path: `${place}.${shown}`.slice(-3 * NAME_LENGTH_MAX) }),
    });
  }
}

/** For the OpenAPI document. */
export const IGNORED_MEMBERS_SCHEMA: TSchema = Type.Optional(
  Type.Array(
    Type.Object({
      name: Type.String(),
      nearest: Type.Optional(Type.String({ description: "The known member that may have been meant." })),
      path: Type.Optional(Type.String({ description: "Where it stands, unless in the body itself." })),
    }),
    {
      maxItems: IGNORED_MEMBERS_MAX,
      description: "Extension. Members of the request that mean nothing; absent where there are none.",
    },
  ),
);
