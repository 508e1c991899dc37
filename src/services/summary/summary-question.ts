import type { IndexSchema } from "../../contract/index-schema.js";
import type { SearchRequest } from "../../contract/search.js";
import { parseSearchBody, type SearchLimits } from "../../contract/search-body.js";
import { wantsEvent } from "../../contract/summary.js";
import { type SearchTopic, searchTopicOf } from "./search-topic.js";
import type { SummarySubject } from "./summary-journal.js";
import { requireSummarySettings, type SummarySettings } from "./summary-settings.js";

/** What a summary's request comes to on an index as it is set up now. */
export interface SummaryQuestion {
  readonly settings: SummarySettings;
  readonly topic: SearchTopic;
  /** What is searched. */
  readonly request: SearchRequest;
  /** What was asked for: the same for all bodies that ask for the same. */
  readonly asked: SearchRequest;
  readonly subject: SummarySubject;
  readonly showsSources: boolean;
  /** Whether what the model is asked and costs is told, for which not every key is good enough. */
  readonly showsCall: boolean;
}

/**
 * @throws FindlingError `ai_disabled`, `ai_not_configured`, `summary_not_configured`, `invalid_llm_provider`;
 *   then as a search's body does
 */
export function questionOf(schema: IndexSchema, body: unknown, limits: SearchLimits): SummaryQuestion {
  const settings = requireSummarySettings(schema);
  const showsSources = wantsEvent(body, "sources");
  const showsCall = wantsEvent(body, "model_call");
  const resultsMax = Math.min(settings.resultsMax, limits.maxLimit);
  const sent = parseSearchBody(body, { ...limits, defaultLimit: resultsMax });
  const topic = searchTopicOf(sent.clauses, settings.rules);
  const wanted = withoutShow(sent, resultsMax);
  return {
    settings,
    topic,
    request: { ...wanted, clauses: topic.clauses },
    asked: wanted,
    subject: {
      indexName: schema.name,
      provider: settings.ai.llm_provider,
      model: settings.model,
      ruleName: topic.rule?.rule_name,
    },
    showsSources,
    showsCall,
  };
}

/** Without what only changes how hits are shown, or nothing; a direction counts only where there is an order. */
function withoutShow(sent: SearchRequest, limitMax: number): SearchRequest {
  const { limit, sort, extensions: { fields, orderBy } = {}, ignoredMembers: _, ...rest } = sent;
  return {
    ...rest,
    limit: Math.min(limit, limitMax),
    sort: rest.order_by === undefined ? "desc" : sort,
    extensions: {
      facets: new Map(),
      ...(fields === undefined ? {} : { fields }),
      ...(orderBy === undefined ? {} : { orderBy }),
    },
  };
}
