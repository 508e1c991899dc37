import { searchAnswerSchema, searchBodySchema } from "../search-bodies.js";
import { suggestAnswerSchema, suggestQuerySchema } from "../suggest.js";
import type { RouteRow } from "./route-row.js";
import { ON_INDEX, PLAIN, QUERY_ERRORS, SEARCH } from "./route-rules.js";

export const SEARCH_ROUTES: readonly RouteRow[] = [
  {
    ...ON_INDEX,
    operationId: "searchIndex",
    method: "POST",
    path: "/index/:index_name/search",
    tag: "Search",
    summary: "Searches an index",
    access: SEARCH,
    body: searchBodySchema,
    answer: searchAnswerSchema,
    errors: [
      "index_not_found",
      ...QUERY_ERRORS,
      "invalid_order_by",
      "limit_too_large",
      "minimum_should_match_too_large",
      "cursor_expired",
      "search_timeout",
    ],
  },
  {
    ...ON_INDEX,
    operationId: "suggest",
    method: "GET",
    path: "/index/:index_name/suggest",
    tag: "Search",
    summary: "Extension: completes what someone types, from the index's own words and titles",
    access: SEARCH,
    query: suggestQuerySchema,
    answer: suggestAnswerSchema,
    errors: ["index_not_found", "limit_too_large", "search_timeout", "rate_limited"],
  },
  {
    ...PLAIN,
    operationId: "searchFederation",
    method: "POST",
    path: "/federation/:federation_name/search",
    tag: "Search",
    summary: "Searches the indexes of a federation as one",
    access: SEARCH,
    scope: "federation",
    body: searchBodySchema,
    answer: searchAnswerSchema,
    errors: [
      "federation_not_found",
      "query_syntax",
      "field_not_indexed",
      "invalid_field_value",
      "invalid_order_by",
      "limit_too_large",
      "minimum_should_match_too_large",
      "cursor_expired",
      "search_timeout",
    ],
  },
];
