import { PERMISSION } from "../access-key.js";
import { capabilitiesSchema, summaryBodySchema, summaryStreamSchema } from "../summary.js";
import { summaryBoxAnswerSchema, summaryBoxBodySchema } from "../summary-box.js";
import type { RouteAccess, RouteRow } from "./route-row.js";
import { ON_INDEX, PLAIN, permission, QUERY_ERRORS, SEARCH } from "./route-rules.js";

const SUMMARIES: RouteAccess = {
  ...permission(PERMISSION.SEARCH),
  bitsIfStrict: PERMISSION.LLM_RAG_SUMMARIES,
};

export const SUMMARY_ROUTES: readonly RouteRow[] = [
  {
    ...ON_INDEX,
    operationId: "getCapabilities",
    method: "GET",
    path: "/index/:index_name/capabilities",
    tag: "Search",
    summary: "Tells which AI features an index has",
    access: SEARCH,
    answer: capabilitiesSchema,
    mirrored: true,
  },
  {
    ...ON_INDEX,
    operationId: "summarizeSearch",
    method: "POST",
    path: "/index/:index_name/search/summary",
    tag: "Search",
    summary: "Searches an index and has a language model summarize what was found",
    access: SUMMARIES,
    body: summaryBodySchema,
    answer: summaryStreamSchema,
    answerType: "text/event-stream",
    errors: [
      "index_not_found",
      "ai_disabled",
      "ai_not_configured",
      "summary_not_configured",
      "invalid_llm_provider",
      ...QUERY_ERRORS,
      "invalid_order_by",
      "limit_too_large",
      "minimum_should_match_too_large",
      "search_timeout",
    ],
  },
  {
    ...PLAIN,
    operationId: "summarizeSearchAsText",
    method: "POST",
    path: "/api/search/summary",
    tag: "Search",
    summary: "The same as plain text, for the summary box of the browser SDK",
    access: SUMMARIES,
    scope: "body_index",
    body: summaryBoxBodySchema,
    answer: summaryBoxAnswerSchema,
    answerType: "text/plain",
    errors: [
      "index_not_found",
      "insufficient_permissions",
      "invalid_llm_provider",
      ...QUERY_ERRORS,
      "invalid_order_by",
      "limit_too_large",
      "minimum_should_match_too_large",
      "search_timeout",
      "model_refused",
      "model_overloaded",
      "model_unavailable",
    ],
  },
];
