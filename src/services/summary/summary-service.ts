import { PERMISSION } from "../../contract/access-key.js";
import type { SearchLimits } from "../../contract/search-body.js";
import type { Capabilities, SummaryModelCall } from "../../contract/summary.js";
import { parseSummaryBoxBody } from "../../contract/summary-box.js";
import { type ErrorCode, FindlingError } from "../../errors/index.js";
import type { Catalog, CatalogIndex } from "../../ports/catalog.js";
import type { Clock } from "../../ports/clock.js";
import type { LanguageModels } from "../../ports/language-models.js";
import type { Logger } from "../../ports/logger.js";
import type { Metrics } from "../../ports/metrics.js";
import type { SearchBackend, SearchCaller } from "../../ports/search-backend.js";
import type { Servers } from "../../ports/servers.js";
import type { Tracing } from "../../ports/tracing.js";
import { requireIndexInScope, requirePermission } from "../authority/scope-rule.js";
import { requireIndex } from "../indexes/require-index.js";
import type { MeasureRecorder } from "../measure/measure-recorder.js";
import type { RequestOrigin } from "../measure/request-origin.js";
import type { SearchService } from "../search/search-service.js";
import { CallAdmission } from "./call-admission.js";
import { CallBudget, type CallLimits } from "./call-budget.js";
import { promptDocuments } from "./document-text.js";
import { ReadingPace } from "./reading-pace.js";
import { emptyStateMessage } from "./search-topic.js";
import { SharedText } from "./shared-text.js";
import { SummaryAnswer } from "./summary-answer.js";
import { SummaryCache, type SummaryGround } from "./summary-cache.js";
import { SummaryJournal } from "./summary-journal.js";
import { questionOf, type SummaryQuestion } from "./summary-question.js";
import { type SummaryTask, writeSummary } from "./summary-writer.js";

export interface SummaryServicePorts {
  readonly catalog: Catalog;
  readonly backend: SearchBackend;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, "modelCalled" | "summarizedWithoutCall">;
  readonly languageModels: LanguageModels;
  readonly tracing: Tracing;
  readonly servers: Servers;
  readonly search: SearchService;
  readonly recorder: Pick<MeasureRecorder, "recordSummary">;
}

export interface SummaryServiceOptions {
  readonly search: SearchLimits;
  readonly calls: CallLimits;
}

/** A summary that is being written. */
interface RunningSummary {
  readonly text: SharedText;
  readonly ground: SummaryGround;
  /** Once it is over, where it is to be told. */
  call: SummaryModelCall | undefined;
}

/** Whose summary it is, and who waits for it. */
interface Asker {
  readonly origin: RequestOrigin;
  readonly caller: SearchCaller | undefined;
}

interface Shared {
  readonly key: string;
  readonly ground: SummaryGround;
  /** Gives the call back to the budget. */
  readonly release: () => void;
  readonly showsCall: boolean;
}

const NOT_ENABLED: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "ai_disabled",
  "ai_not_configured",
  "summary_not_configured",
]);

/** Summaries of search results by a language model, and what an index can do of AI (contract 3.6). */
export class SummaryService {
  readonly #ports: SummaryServicePorts;
  readonly #limits: SearchLimits;
  readonly #cache: SummaryCache;
  readonly #budget: CallBudget;
  readonly #journal: SummaryJournal;
  readonly #pace = new ReadingPace();
  readonly #admission = new CallAdmission();
  /** By key: who asks the same while one is written reads along. */
  readonly #running = new Map<string, RunningSummary>();
  /** A number for each state of an index's settings, synonyms and stopwords. */
  readonly #settingsNumbers = new WeakMap<CatalogIndex, number>();
  #settingsCount = 0;

  constructor(ports: SummaryServicePorts, options: SummaryServiceOptions) {
    this.#ports = ports;
    this.#limits = options.search;
    this.#cache = new SummaryCache(ports.clock);
    this.#budget = new CallBudget(ports.clock, options.calls, ports.servers);
    this.#journal = new SummaryJournal(ports.logger, ports.metrics);
  }

  /** @throws FindlingError `index_not_found` */
  capabilities(indexName: string): Capabilities {
    const { ai_enabled: enabled, ai } = requireIndex(this.#ports.catalog, indexName).schema;
    return {
      ai: {
        enabled,
        searchSummaryConfigured: ai?.search_summary !== undefined,
        llmProviderConfigured: ai?.llm_provider !== undefined,
        llmModelConfigured: (ai?.search_summary?.model ?? "") !== "",
      },
    };
  }

  /**
   * Searches, and begins to answer; what the model does comes later, in the answer's events.
   *
   * @param caller who waits for it; the search is given up once nobody does
   * @throws FindlingError `index_not_found`; `ai_disabled`, `ai_not_configured`, `summary_not_configured`,
   *   `invalid_llm_provider`; then as a search does; `insufficient_permissions` where it asks what the model is
   *   asked and may not see the index's settings; `rate_limited` where a budget of calls is used up
   */
  async summarize(
    indexName: string,
    body: unknown,
    origin: RequestOrigin,
    caller?: SearchCaller,
  ): Promise<SummaryAnswer> {
    const { catalog, recorder } = this.#ports;
    for (;;) {
      const index = requireIndex(catalog, indexName);
      try {
        const question = questionOf(index.schema, body, this.#limits);
        if (question.showsCall) requirePermission(origin.authority, PERMISSION.UPDATE_INDEX);
        const { answer, count } = await this.#answer(index, question, { origin, caller });
        const { clauses } = question.asked;
        const aiProvider = question.subject.provider;
        recorder.recordSummary({ origin, target: { indexName }, clauses, count, aiProvider });
        return answer;
      } catch (error) {
        // Ends: each turn takes a replacement of the index, which takes far longer than this.
        if (requireIndex(catalog, indexName).storageId === index.storageId) throw error;
      }
    }
  }

  /**
   * As `summarize`, with the index in the body, for pages with the browser SDK's summary box.
   *
   * @throws FindlingError `index_not_allowed`; `insufficient_permissions` where the index has no summaries, which
   *   the box takes for "not enabled"; else as `summarize`
   */
  async summarizeForBox(body: unknown, origin: RequestOrigin, caller?: SearchCaller): Promise<SummaryAnswer> {
    const { indexName, searchQuery } = parseSummaryBoxBody(body);
    requireIndexInScope(origin.authority, indexName);
    try {
      return await this.summarize(indexName, searchQuery, origin, caller);
    } catch (error) {
      if (!(error instanceof FindlingError) || !NOT_ENABLED.has(error.code)) throw error;
      throw new FindlingError("insufficient_permissions", error.message, { cause: error });
    }
  }

  /** Ends what is being written, and tells what all of it has cost. */
  async stop(): Promise<void> {
    const reason = new FindlingError("shutting_down", "the server is shutting down");
    await Promise.all([...this.#running.values()].map(({ text }) => text.giveUp(reason)));
    this.#journal.close();
  }

  async #answer(
    index: CatalogIndex,
    question: SummaryQuestion,
    asker: Asker,
  ): Promise<{ readonly answer: SummaryAnswer; readonly count: number }> {
    const { settings, showsSources, subject, topic } = question;
    const key = await this.#keyOf(index, question);
    const cached = this.#cache.get(key);
    if (cached !== undefined) {
      this.#journal.answeredFromCache(subject);
      const { text, sources, count, call } = cached;
      const shown = { isCached: true, sources, showsSources, modelCall: () => call };
      return { answer: new SummaryAnswer({ ...shown, text: () => whole(text) }), count };
    }
    const running = this.#runningOf(key) ?? (await this.#begin(index, question, key, asker));
    if (typeof running !== "number") {
      const { sources, count } = running.ground;
      const shown = { isCached: false, sources, showsSources, modelCall: () => running.call };
      const text = (signal: AbortSignal): AsyncIterable<string> => running.text.join(signal);
      return { answer: new SummaryAnswer({ ...shown, text }), count };
    }
    this.#journal.foundNothing(subject);
    // A page without hits of a search that found something says nothing, as no document is there to speak of.
    const message = running === 0 ? (emptyStateMessage(topic, settings.emptyStateMessage) ?? "") : "";
    const shown = { isCached: false, sources: [], showsSources, modelCall: () => undefined };
    return { answer: new SummaryAnswer({ ...shown, text: () => whole(message) }), count: running };
  }

  /** The number of matches where there is no hit to write about. */
  async #begin(
    index: CatalogIndex,
    { request, settings, subject, topic, showsCall }: SummaryQuestion,
    key: string,
    { origin, caller }: Asker,
  ): Promise<RunningSummary | number> {
    const { catalog, search } = this.#ports;
    const { hits, count } = await search.hitsOf(index, request, caller);
    // Somebody else may have begun it during the search.
    const begun = this.#runningOf(key);
    if (begun !== undefined) return begun;
    if (hits.length === 0) return count;
    const indexName = index.schema.name;
    const documents = promptDocuments(hits, index.schema, settings.documentTrimLength);
    const apiKey = catalog.openLlmApiKey(indexName, settings.ai);
    const release = this.#budget.take({ key: origin.authority.caller, indexName });
    const sources = hits
      .slice(0, documents.count)
      .map(({ document_id, source_index }) => ({ document_id, source_index }));
    const task = { subject, settings, topic, documents: documents.texts, apiKey };
    return this.#share(task, { key, ground: { sources, count }, release, showsCall });
  }

  #share(unheard: SummaryTask, { key, ground, release, showsCall }: Shared): RunningSummary {
    const onCalled = (call: SummaryModelCall): void => {
      running.call = call;
    };
    const task = showsCall ? { ...unheard, onCalled } : unheard;
    const running: RunningSummary = {
      ground,
      call: undefined,
      text: new SharedText({
        clock: this.#ports.clock,
        pace: this.#pace,
        write: (signal) => this.#write(task, signal),
        onEnd: (text) => {
          release();
          if (this.#running.get(key) === running) this.#running.delete(key);
          if (text !== undefined) this.#cache.put(key, { ...ground, text, call: running.call });
        },
      }),
    };
    this.#running.set(key, running);
    return running;
  }

  async *#write(task: SummaryTask, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    // What readers have been told already leaves first, and who asked meanwhile is answered.
    await this.#admission.admitted();
    yield* writeSummary({ ...this.#ports, journal: this.#journal }, task, signal);
  }

  #runningOf(key: string): RunningSummary | undefined {
    const running = this.#running.get(key);
    return running?.text.isGivenUp === true ? undefined : running;
  }

  /**
   * Everything that a summary depends on (contract 3.6, 7): the index as it is stored and set up, its
   * committed documents, and what is asked. Two indexes never share one, nor two lives of one index. Who is told
   * of the call shares with others who are: of all other summaries no prompt is kept.
   */
  async #keyOf(index: CatalogIndex, { asked, showsCall }: SummaryQuestion): Promise<string> {
    // Asked before the search: what that finds is never older than the key says.
    const generation = await this.#ports.backend.generation(index.storageId);
    let settings = this.#settingsNumbers.get(index);
    if (settings === undefined) {
      settings = ++this.#settingsCount;
      this.#settingsNumbers.set(index, settings);
    }
    return JSON.stringify([index.schema.name, index.storageId, settings, generation, asked, showsCall]);
  }
}

async function* whole(text: string): AsyncGenerator<string, void, undefined> {
  if (text !== "") yield text;
}
