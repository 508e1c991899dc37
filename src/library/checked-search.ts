import type { IndexSchema } from "../contract/index-schema.js";
import { parseOrderKeys } from "../contract/order-key.js";
import type { SearchClause, SearchRequest } from "../contract/search.js";
import type { FacetRequest, HighlightRequest } from "../contract/search-extensions.js";
import {
  requireFlag,
  requireMembers,
  requireOneOf,
  requireText,
  requireTexts,
  requireWhole,
} from "./require-shape.js";
import { knownFields, weightsOf } from "./searched-index.js";
import type { HighlightOptions, SearchMode, TextSearchOptions } from "./text-search-options.js";

const MODES = ["fuzzy", "exact", "dynamic"] as const satisfies readonly SearchMode[];

const SEARCH_OPTIONS = [
  "mode",
  "filter",
  "limit",
  "offset",
  "orderBy",
  "facets",
  "highlight",
  "fields",
  "asYouType",
  "match",
  "weights",
  "explain",
  "timeLimitMs",
] as const satisfies readonly (keyof TextSearchOptions)[];
const HIGHLIGHT_OPTIONS = [
  "fields",
  "preTag",
  "postTag",
  "fragmentSize",
  "fragments",
] as const satisfies readonly (keyof HighlightOptions)[];

/** A text search in the terms that the server has for one. */
export interface CheckedSearch {
  readonly request: SearchRequest;
  readonly weights: Readonly<Record<string, number>> | null;
  /** Infinity: as long as it takes. */
  readonly timeLimitMs: number;
}

/** @throws FindlingError `invalid_request` naming the option, `unknown_field` */
export function checkedSearch(text: string, options: unknown, schema: IndexSchema): CheckedSearch {
  const given = requireMembers("the options of a search", options, SEARCH_OPTIONS);
  const { orderBy, highlight, fields, facets, explain, weights, timeLimitMs } = given;
  const order =
    orderBy === undefined ? [] : typeof orderBy === "string" ? [orderBy] : requireTexts("orderBy", orderBy);
  return {
    request: {
      clauses: clausesOf(text, given),
      limit: given["limit"] === undefined ? 10 : requireWhole("limit", given["limit"], 0),
      offset: given["offset"] === undefined ? 0 : requireWhole("offset", given["offset"], 0),
      sort: "desc",
      extensions: {
        facets: facetsOf(facets, schema),
        ...(order.length === 0 ? {} : { orderBy: parseOrderKeys(order, "desc") }),
        ...(fields === undefined
          ? {}
          : { fields: knownFields(schema, "fields", requireTexts("fields", fields)) }),
        ...(highlight === undefined || highlight === false
          ? {}
          : { highlight: highlightOf(highlight, schema) }),
        ...(explain === undefined || !requireFlag("explain", explain) ? {} : { explain: true }),
      },
    },
    weights: weights === undefined ? null : weightsOf(schema, weights),
    timeLimitMs:
      timeLimitMs === undefined ? Number.POSITIVE_INFINITY : requireWhole("timeLimitMs", timeLimitMs, 1),
  };
}

/** @throws FindlingError `invalid_request` naming the option */
export function checkedSuggestLimit(options: unknown): number {
  const { limit } = requireMembers("the options of suggestions", options, ["limit"]);
  return limit === undefined ? 10 : requireWhole("limit", limit, 1);
}

function clausesOf(text: string, given: Readonly<Record<string, unknown>>): SearchClause[] {
  const { mode = "fuzzy", filter, asYouType, match } = given;
  const clauses: SearchClause[] = [];
  if (filter !== undefined)
    clauses.push({ mode: "exact", ctx: requireText("filter", filter), occur: "must" });
  const main: SearchClause = {
    mode: requireOneOf("mode", mode, MODES),
    ctx: text,
    occur: "must",
    ...(asYouType !== undefined && requireFlag("asYouType", asYouType) ? { as_you_type: true } : {}),
    ...(match !== undefined && requireOneOf("match", match, ["any", "all"]) === "all"
      ? { match: "all" }
      : {}),
  };
  // A filter alone lists what it lets through.
  if (clauses.length === 0 || text.trim() !== "") clauses.push(main);
  return clauses;
}

function facetsOf(facets: unknown, schema: IndexSchema): ReadonlyMap<string, FacetRequest> {
  const all = Object.keys(schema.fields).filter((name) => schema.fields[name]!.type === "facet");
  const names =
    facets === undefined || facets === false
      ? []
      : facets === true
        ? all
        : knownFields(schema, "facets", requireTexts("facets", facets));
  return new Map(names.map((name) => [name, { ownFilter: true }]));
}

function highlightOf(highlight: unknown, schema: IndexSchema): HighlightRequest {
  const given =
    highlight === true ? {} : requireMembers("the options of highlight", highlight, HIGHLIGHT_OPTIONS);
  const { fields, preTag = "<em>", postTag = "</em>", fragmentSize = 150, fragments = 3 } = given;
  return {
    ...(fields === undefined
      ? {}
      : { fields: knownFields(schema, "highlight.fields", requireTexts("highlight.fields", fields)) }),
    preTag: requireText("highlight.preTag", preTag),
    postTag: requireText("highlight.postTag", postTag),
    fragmentSize: requireWhole("highlight.fragmentSize", fragmentSize, 0),
    maxFragments: requireWhole("highlight.fragments", fragments, 1),
  };
}
