import type { SearchSummaryConfig } from "../../src/contract/ai-config.js";
import type { SummaryEvent } from "../../src/contract/summary.js";
import { Authority } from "../../src/services/authority/authority.js";
import type { FakeAnswer } from "./fake-language-models.js";
import type { ServiceHarness } from "./service-harness.js";

const ADMIN = Authority.unrestricted();

export const SUMMARIZED_FIELDS = {
  id: { type: "text" },
  title: { type: "text" },
  price: { type: "f64" },
  tags: { type: "text", multi: true },
  secret: { type: "text", stored: false },
};

/** A request that finds both documents of `createSummarized`. */
export const FOUND = { query: { exact: { ctx: "boots" } } };

export interface AskOptions {
  readonly signal?: AbortSignal;
  readonly authority?: Authority;
  readonly index?: string;
}

/** An index of two documents, committed, with these settings of summaries. */
export async function createSummarized(
  { services }: ServiceHarness,
  summary: Partial<SearchSummaryConfig> = {},
  name = "books",
): Promise<void> {
  const ai = { llm_provider: "ollama", search_summary: { model: "m", ...summary } };
  await services.indexes.create(
    { override_if_exists: true, index: { name, fields: SUMMARIZED_FIELDS, ai_enabled: true, ai } },
    ADMIN,
  );
  await services.documents.add(name, [
    { tags: ["warm", "red"], title: "winter boots", price: 9.5, id: "1", secret: "s3cret" },
    { id: "2", title: "summer boots" },
  ]);
  await services.documents.commit(name);
}

/** Resolves once the stream begins. @throws what is answered instead of a stream */
export async function ask(
  { services }: ServiceHarness,
  body: object = FOUND,
  { signal = new AbortController().signal, authority = ADMIN, index = "books" }: AskOptions = {},
): Promise<AsyncGenerator<SummaryEvent>> {
  const answer = await services.summaries.summarize(index, body, { authority, client: {} });
  return answer.events(signal);
}

export async function summaryOf(
  harness: ServiceHarness,
  body?: object,
  options?: AskOptions,
): Promise<SummaryEvent[]> {
  return eventsOf(await ask(harness, body, options));
}

export async function eventsOf(stream: AsyncIterable<SummaryEvent>): Promise<SummaryEvent[]> {
  const events: SummaryEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

export function textOf(events: readonly SummaryEvent[]): string {
  return events.map((event) => (event.name === "delta" ? event.data.content : "")).join("");
}

/** Lets everything go on that doesn't wait for the clock. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((resume) => setImmediate(resume));
}

/** Says some words, then fails. */
export function failing(error: unknown, before: readonly string[] = []): FakeAnswer {
  return async function* () {
    yield* before;
    throw error;
  };
}
