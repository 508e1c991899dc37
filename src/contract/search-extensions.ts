import Type, { type TSchema } from "typebox";
import { hasMoreCodePoints } from "./code-points.js";
import type { FederatedIndex } from "./federation.js";
import { invalidMember } from "./invalid-member.js";
import type { OrderKey } from "./order-key.js";
import { asWireObject, describeKind, memberOf, type WireObject } from "./wire-object.js";

/** How hits are shown where the request asks for highlighting. */
export interface HighlightRequest {
  /** Absent: the text fields that are searched and stored. */
  readonly fields?: readonly string[];
  readonly preTag: string;
  readonly postTag: string;
  /** Characters (UTF-16 units) that a fragment should have; 0 = the whole text. */
  readonly fragmentSize: number;
  /** How many one field has. */
  readonly maxFragments: number;
}

/** Which part of a facet field's tree is answered. */
export interface FacetRequest {
  /** Levels; absent = all. */
  readonly depth?: number;
  /** Nodes beside one another; absent = all. */
  readonly size?: number;
  /** Whether must clauses about this field alone count for it. False where several values are to choose from. */
  readonly ownFilter: boolean;
}

/** What a search body may ask for beyond the specification; nothing of it by default. */
export interface SearchExtensions {
  readonly highlight?: HighlightRequest;
  /** Stored fields that hits show. */
  readonly fields?: readonly string[];
  /** By facet field; an empty map = no facets at all. Absent: every facet field, whole. */
  readonly facets?: ReadonlyMap<string, FacetRequest>;
  readonly explain?: true;
  /** Whether the pages that follow will be read by cursor. */
  readonly cursor?: true;
  /** By field, in place of the index's `weight_multipliers`; fields that aren't named keep theirs. */
  readonly weights?: ReadonlyMap<string, number>;
  /** In place of a federation's own; at least one, no two of one name. */
  readonly members?: readonly FederatedIndex[];
  /** False: the index's synonyms stay out of it. */
  readonly synonyms?: false;
  /** Whether hits tell their documents' versions. */
  readonly version?: true;
  /** Whether the answer tells where the time went. */
  readonly profile?: true;
  /** At least one key; in place of `order_by`. */
  readonly orderBy?: readonly OrderKey[];
}

const FIELDS_MAX = 1_000;
const TAG_LENGTH_MAX = 200;
const FRAGMENT_SIZE_MAX = 100_000;
const FRAGMENTS_MAX = 100;
const FACET_COUNT_MAX = 1_000_000;
const WEIGHT_MAX = 100;
const WEIGHT_DEFAULT = 1;
const MEMBERS_MAX = 1_000;

const HIGHLIGHT_DEFAULT: HighlightRequest = {
  preTag: "<em>",
  postTag: "</em>",
  fragmentSize: 150,
  maxFragments: 3,
};

/**
 * The extensions in a search body, every default filled in; undefined if there are none.
 *
 * @param orderBy what `order_by` says as a list
 * @throws FindlingError `invalid_request`
 */
export function parseSearchExtensions(
  body: WireObject,
  orderBy?: readonly OrderKey[],
): SearchExtensions | undefined {
  const highlight = parseHighlight(memberOf(body, "highlight"));
  const fields = parseNames(memberOf(body, "fields"), "fields");
  const facets = parseFacets(memberOf(body, "facets"));
  const explain = parseFlag(memberOf(body, "explain"), "explain");
  const cursor = parseFlag(memberOf(body, "cursor"), "cursor");
  const weights = parseWeights(memberOf(body, "weight_multipliers"));
  const members = parseMembers(memberOf(body, "index_configurations"));
  const synonyms = parseFlag(memberOf(body, "synonyms"), "synonyms");
  const profile = parseFlag(memberOf(body, "profile"), "profile");
  const version = parseFlag(memberOf(body, "version"), "version");
  const hasMembers =
    highlight !== undefined ||
    fields !== undefined ||
    facets !== undefined ||
    weights !== undefined ||
    members !== undefined ||
    synonyms === false ||
    version === true ||
    profile === true;
  if (!hasMembers && explain !== true && cursor !== true && orderBy === undefined) return undefined;
  return {
    ...(highlight === undefined ? {} : { highlight }),
    ...(fields === undefined ? {} : { fields }),
    ...(facets === undefined ? {} : { facets }),
    ...(explain === true ? { explain } : {}),
    ...(cursor === true ? { cursor } : {}),
    ...(weights === undefined ? {} : { weights }),
    ...(members === undefined ? {} : { members }),
    ...(synonyms === false ? { synonyms } : {}),
    ...(profile === true ? { profile } : {}),
    ...(version === true ? { version } : {}),
    ...(orderBy === undefined ? {} : { orderBy }),
  };
}

function parseHighlight(value: unknown): HighlightRequest | undefined {
  if (value === undefined || value === false) return undefined;
  if (value === true) return HIGHLIGHT_DEFAULT;
  const object = asWireObject(value);
  if (object === undefined) {
    throw invalidMember("highlight", `must be true or an object, not ${describeKind(value)}`);
  }
  const fields = parseNames(memberOf(object, "fields"), "highlight.fields");
  return {
    ...(fields === undefined ? {} : { fields }),
    preTag: parseTag(object, "pre_tag", HIGHLIGHT_DEFAULT.preTag),
    postTag: parseTag(object, "post_tag", HIGHLIGHT_DEFAULT.postTag),
    fragmentSize: parseCount(object, "highlight", "fragment_size", [0, FRAGMENT_SIZE_MAX]) ?? 150,
    maxFragments: parseCount(object, "highlight", "fragments", [1, FRAGMENTS_MAX]) ?? 3,
  };
}

function parseTag(object: WireObject, name: string, standard: string): string {
  const tag = memberOf(object, name) ?? standard;
  const place = `highlight.${name}`;
  if (typeof tag !== "string") throw invalidMember(place, `must be a string, not ${describeKind(tag)}`);
  if (!hasMoreCodePoints(tag, TAG_LENGTH_MAX)) return tag;
  throw invalidMember(place, `is longer than ${TAG_LENGTH_MAX} characters`);
}

function parseFacets(value: unknown): ReadonlyMap<string, FacetRequest> | undefined {
  if (value === undefined || value === true) return undefined;
  if (value === false) return new Map();
  if (Array.isArray(value)) {
    return new Map(parseNames(value, "facets")!.map((name) => [name, { ownFilter: true }]));
  }
  const object = asWireObject(value);
  if (object === undefined) {
    throw invalidMember(
      "facets",
      `must be a list of fields, an object by field, or false, not ${describeKind(value)}`,
    );
  }
  const names = Object.keys(object);
  if (names.length > FIELDS_MAX) throw invalidMember("facets", `names more than ${FIELDS_MAX} fields`);
  return new Map(names.map((name) => [name, parseFacet(object[name], `facets.${name}`)]));
}

function parseFacet(value: unknown, place: string): FacetRequest {
  const options = asWireObject(value === true || value === null ? {} : value);
  if (options === undefined) {
    throw invalidMember(place, `must be an object of options or true, not ${describeKind(value)}`);
  }
  const depth = parseCount(options, place, "depth", [1, FACET_COUNT_MAX]);
  const size = parseCount(options, place, "size", [1, FACET_COUNT_MAX]);
  return {
    ...(depth === undefined ? {} : { depth }),
    ...(size === undefined ? {} : { size }),
    ownFilter: parseFlag(memberOf(options, "own_filter"), `${place}.own_filter`) ?? true,
  };
}

function parseWeights(value: unknown): ReadonlyMap<string, number> | undefined {
  if (value === undefined) return undefined;
  const object = asWireObject(value);
  if (object === undefined) {
    throw invalidMember(
      "weight_multipliers",
      `must be an object of numbers by field, not ${describeKind(value)}`,
    );
  }
  const entries = Object.entries(object);
  if (entries.length > FIELDS_MAX) {
    throw invalidMember("weight_multipliers", `names more than ${FIELDS_MAX} fields`);
  }
  return new Map(
    entries.map(([name, weight]) => [name, requireWeight(weight, `weight_multipliers.${name}`)]),
  );
}

function requireWeight(value: unknown, place: string): number {
  if (typeof value === "number" && value >= 0 && value <= WEIGHT_MAX) return value;
  throw invalidMember(place, `must be a number from 0 to ${WEIGHT_MAX}`);
}

function parseMembers(value: unknown): readonly FederatedIndex[] | undefined {
  if (value === undefined) return undefined;
  const place = "index_configurations";
  if (!Array.isArray(value) || value.length === 0) throw invalidMember(place, `must list at least one index`);
  if (value.length > MEMBERS_MAX) throw invalidMember(place, `names more than ${MEMBERS_MAX} indexes`);
  const seen = new Set<string>();
  return value.map((each: unknown, i) => {
    const object = asWireObject(each);
    const name = object === undefined ? undefined : memberOf(object, "name");
    if (typeof name !== "string")
      throw invalidMember(`${place}[${i}]`, 'must be an object with the "name" of an index');
    if (seen.has(name)) throw invalidMember(`${place}[${i}].name`, `names the index '${name}' once more`);
    seen.add(name);
    const weight = memberOf(object!, "weight_multiplier");
    return {
      name,
      weight_multiplier:
        weight === undefined ? WEIGHT_DEFAULT : requireWeight(weight, `${place}[${i}].weight_multiplier`),
    };
  });
}

function parseNames(value: unknown, place: string): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) {
    throw invalidMember(place, `must be a list of field names, not ${describeKind(value)}`);
  }
  if (value.length > FIELDS_MAX) throw invalidMember(place, `names more than ${FIELDS_MAX} fields`);
  const names = value.map((name: unknown, i) => {
    if (typeof name === "string") return name;
    throw invalidMember(`${place}[${i}]`, `must be a field's name, not ${describeKind(name)}`);
  });
  return [...new Set(names)];
}

function parseFlag(value: unknown, place: string): boolean | undefined {
  if (value === undefined || typeof value === "boolean") return value;
  throw invalidMember(place, `must be true or false, not ${describeKind(value)}`);
}

function parseCount(
  object: WireObject,
  parent: string,
  name: string,
  [least, most]: readonly [number, number],
): number | undefined {
  const value = memberOf(object, name);
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return value;
  const place = `${parent}.${name}`;
  throw invalidMember(place, `must be an integer from ${least} to ${most}`);
}

const names = (description: string): TSchema =>
  Type.Optional(Type.Array(Type.String(), { maxItems: FIELDS_MAX, description }));

/** The members for the OpenAPI document. */
export const SEARCH_EXTENSION_MEMBERS: Readonly<Record<string, TSchema>> = {
  version: Type.Optional(
    Type.Boolean({
      description:
        "Whether hits tell the `version` of their documents, which a partial update can be bound to.",
    }),
  ),
  highlight: Type.Optional(
    Type.Union(
      [
        Type.Boolean(),
        Type.Object({
          fields: names("Text fields; those that are searched and stored unless given."),
          pre_tag: Type.Optional(Type.String({ default: "<em>", maxLength: TAG_LENGTH_MAX })),
          post_tag: Type.Optional(Type.String({ default: "</em>", maxLength: TAG_LENGTH_MAX })),
          fragment_size: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: FRAGMENT_SIZE_MAX,
              default: 150,
              description: "0 = whole text.",
            }),
          ),
          fragments: Type.Optional(Type.Integer({ minimum: 1, maximum: FRAGMENTS_MAX, default: 3 })),
        }),
      ],
      {
        description:
          "Extension. Each hit gets `highlights`: by field the best fragments, HTML-escaped, with tags around what matched.",
      },
    ),
  ),
  fields: names("Extension. Stored fields that `doc` shows."),
  facets: Type.Optional(
    Type.Union(
      [
        Type.Boolean(),
        Type.Array(Type.String()),
        Type.Record(
          Type.String(),
          Type.Object({
            depth: Type.Optional(Type.Integer({ minimum: 1, description: "Levels." })),
            size: Type.Optional(
              Type.Integer({ minimum: 1, description: "Nodes beside one another, the most frequent first." }),
            ),
            own_filter: Type.Optional(
              Type.Boolean({
                default: true,
                description:
                  "False: counts as if must clauses about this field alone were not there, for multi-select.",
              }),
            ),
          }),
        ),
      ],
      { description: "Extension. The facet fields to count, with options by field; false = none." },
    ),
  ),
  cursor: Type.Optional(
    Type.Boolean({
      description:
        "Extension. Opens a cursor: the answer's `cursor` leads to the next page, and every page is as of the first one's moment.",
    }),
  ),
  weight_multipliers: Type.Optional(
    Type.Record(Type.String(), Type.Number({ minimum: 0, maximum: WEIGHT_MAX }), {
      description:
        "Extension. Relevance weights by field for this search, in place of the index's own; fields that aren't named keep theirs.",
    }),
  ),
  index_configurations: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String(),
        weight_multiplier: Type.Optional(
          Type.Number({ minimum: 0, maximum: WEIGHT_MAX, default: WEIGHT_DEFAULT }),
        ),
      }),
      {
        minItems: 1,
        maxItems: MEMBERS_MAX,
        description:
          "Extension, of a federation's search only. The indexes that are searched and their weights, in place of the federation's own; each has to be among the allowed indexes of the key.",
      },
    ),
  ),
  synonyms: Type.Optional(
    Type.Boolean({ default: true, description: "Extension. False: searches without the index's synonyms." }),
  ),
  profile: Type.Optional(
    Type.Boolean({ description: "Extension. The answer gets `profile`: where the time went." }),
  ),
  explain: Type.Optional(
    Type.Boolean({ description: "Extension. Each hit gets `explanation`: why it has its score." }),
  ),
};
