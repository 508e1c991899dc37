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
  /** Where a member of its very name means something, from the body on. */
  readonly belongs?: string;
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
const MODES = ["fuzzy", "exact", "dynamic"] as const;
const CLAUSE: ReadonlySet<string> = new Set([...MODES, "occur"]);
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
  const { query, highlight, facets, order_by: order } = body;
  const clauses = Array.isArray(query) ? query : [query];
  const clausePath = (i: number): string => (Array.isArray(query) ? `query[${i}]` : "query");
  const belongs = (name: string): string | undefined => placeOf(name, clauses[0], clausePath(0));
  look(found, body, BODY, { path: "", belongs });
  for (let i = 0; i < clauses.length; i++) lookAtClause(found, clauses[i], clausePath(i));
  look(found, highlight, HIGHLIGHT, { path: "highlight", belongs });
  const byField = asWireObject(facets);
  if (byField !== undefined) {
    for (const name of Object.keys(byField))
      look(found, byField[name], FACET, { path: `facets.${name}`, belongs });
  }
  if (Array.isArray(order)) {
    for (let i = 0; i < order.length; i++)
      look(found, order[i], ORDER_KEY, { path: `order_by[${i}]`, belongs });
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
  look(found, members, known, { path: "" });
  return found.length === 0 ? undefined : found;
}

function lookAtClause(found: IgnoredMember[], clause: unknown, path: string): void {
  const members = asWireObject(clause);
  if (members === undefined) return;
  const belongs = (name: string): string | undefined => placeOf(name, members, path);
  look(found, members, CLAUSE, { path, belongs });
  for (const mode of MODES) look(found, members[mode], MODE, { path: `${path}.${mode}`, belongs });
}

/** Where a member means something, if it is one that has a place of its own; of a clause's members, within that one. */
function placeOf(name: string, clause: unknown, path: string): string | undefined {
  if (MODE.has(name)) {
    const members = asWireObject(clause) ?? {};
    const mode = MODES.find((each) => asWireObject(members[each]) !== undefined) ?? MODES[0];
    return `${path}.${mode}.${name}`;
  }
  if (name === "occur") return `${path}.occur`;
  if (BODY.has(name)) return name;
  return HIGHLIGHT.has(name) ? `highlight.${name}` : undefined;
}

interface Looking {
  /** Where the object is. */
  readonly path: string;
  /** Where else a member of that name means something. */
  readonly belongs?: (name: string) => string | undefined;
}

function look(
  found: IgnoredMember[],
  value: unknown,
  known: ReadonlySet<string>,
  { path, belongs }: Looking,
): void {
  const object = asWireObject(value);
  if (object === undefined) return;
  for (const name in object) {
    if (known.has(name) || object[name] === null || found.length >= IGNORED_MEMBERS_MAX) continue;
    const place = belongs?.(name);
    const nearest = place === undefined ? nearestName(name, [...known]) : undefined;
    const shown = name.slice(0, NAME_LENGTH_MAX);
    found.push({
      name: shown,
      ...(nearest !== undefined && { nearest }),
      ...(path !== "" && { path: `${path}.${shown}`.slice(-3 * NAME_LENGTH_MAX) }),
      ...(place !== undefined && { belongs: place }),
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
      belongs: Type.Optional(
        Type.String({ description: "Where a member of its name means something, from the body on." }),
      ),
    }),
    {
      maxItems: IGNORED_MEMBERS_MAX,
      description: "Extension. Members of the request that mean nothing; absent where there are none.",
    },
  ),
);
