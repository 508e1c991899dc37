// The semantics of contract 3.6 over a model whose words the tests make up, and time by hand: what is asked of the
// model, and what is answered. When the model is asked at all: `summary-calls.test.ts`.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { thenSilence } from "../../../tests/kit/fake-language-models.js";
import { ServiceHarness } from "../../../tests/kit/service-harness.js";
import {
  ask,
  createSummarized,
  eventsOf,
  FOUND,
  failing,
  SUMMARIZED_FIELDS,
  settle,
  summaryOf,
  textOf,
} from "../../../tests/kit/summary-requests.js";
import type { KeywordRule } from "../../contract/ai-config.js";
import type { SummaryEvent, SummaryModelCall } from "../../contract/summary.js";
import { FindlingError } from "../../errors/index.js";
import { Authority } from "../authority/authority.js";

const ADMIN = Authority.unrestricted();
const PLACEHOLDER = "$" + "{searchTopic}";

let harness: ServiceHarness;
beforeEach(async () => {
  harness = await ServiceHarness.open();
});
afterEach(() => harness.close());

describe("the prompt", () => {
  test("has role, topic, stored fields in the order of the schema, instructions in theirs, and the limit", async () => {
    await createSummarized(harness, {
      role: "You are Ada.",
      character_limit: 77,
      temperature: 0.7,
      additional_prompt_instructions: [
        { custom_instruction: "second", order: 2 },
        { custom_instruction: "first", order: 1 },
        { custom_instruction: "third", order: 2 },
      ],
      keyword_rules: [
        { rule_name: "r", detect_keywords: ["boot"], custom_instruction: "the rule's", order: 1 },
      ],
    });
    await summaryOf(harness);
    const [{ call }] = harness.languageModels.calls as [(typeof harness.languageModels.calls)[0]];
    const boundary = /marker ([0-9a-f]{32})/.exec(call.system)![1]!;
    expect(call.system).toMatch(/^You are Ada\.\n/);
    expect(call).toMatchObject({ provider: "ollama", model: "m", temperature: 0.7 });
    expect(call.prompt.replaceAll(boundary, "#").split("\n\n")).toEqual([
      "BEGIN TOPIC #\nboots\nEND TOPIC #",
      "BEGIN DOCUMENT 1 #\nid: 1\ntitle: winter boots\nprice: 9.5\ntags: warm, red\nEND DOCUMENT 1 #",
      "BEGIN DOCUMENT 2 #\nid: 2\ntitle: summer boots\nEND DOCUMENT 2 #",
      "Summarize what the documents above say about the topic.",
      "first",
      "second",
      "third",
      "the rule's",
      "Write at most 77 characters.",
    ]);
    expect(call.maxOutputTokens).toBeGreaterThan(77);
  });

  test("has at most max_results documents, each cut; only the fields that the request names", async () => {
    await createSummarized(harness, { max_results: 1, document_trim_length: 12 });
    const events = await summaryOf(harness, { ...FOUND, limit: 50, fields: ["title"] });
    expect(events[0]).toEqual({ name: "metadata", data: { results_count: 1, cached: false } });
    expect(harness.languageModels.calls[0]!.call.prompt).toMatch(/\ntitle: winte\nEND/);
    await createSummarized(harness, { max_results: 300 });
    expect((await summaryOf(harness))[0]!.data).toMatchObject({ results_count: 2 });
    expect((await summaryOf(harness, { ...FOUND, limit: 1 }))[0]!.data).toMatchObject({ results_count: 1 });
  });
});

describe("what the model was asked", () => {
  const TOLD = { ...FOUND, model_call: true };
  const named = (events: readonly SummaryEvent[]): readonly string[] => events.map(({ name }) => name);
  const callOf = (events: readonly SummaryEvent[]): SummaryModelCall | undefined =>
    events.flatMap((event) => (event.name === "model_call" ? [event.data] : []))[0];

  test("is told after the summary, with what it cost, to who asks for it", async () => {
    await createSummarized(harness, { role: "You are Ada.", temperature: 0.7 });
    expect(named(await summaryOf(harness, FOUND))).not.toContain("model_call");
    const events = await summaryOf(harness, { ...TOLD, sources: true });
    expect(named(events).slice(-4)).toEqual(["delta", "model_call", "sources", "done"]);
    const asked = harness.languageModels.calls[1]!.call;
    expect(callOf(events)).toEqual({
      provider: "ollama",
      model: "m",
      temperature: 0.7,
      system: asked.system,
      prompt: asked.prompt,
      outcome: "done",
      attempts: 1,
      input_tokens: expect.any(Number),
      output_tokens: expect.any(Number),
      duration_ms: expect.any(Number),
    });
  });

  test("is kept with the summary for others who ask for it, and for nobody else", async () => {
    await createSummarized(harness);
    const [first, along] = await Promise.all([summaryOf(harness, TOLD), summaryOf(harness, TOLD)]);
    const later = await summaryOf(harness, TOLD);
    expect(later[0]!.data).toMatchObject({ cached: true });
    expect(callOf(later)).toEqual(callOf(first));
    expect(callOf(along)).toEqual(callOf(first));
    expect(callOf(later)).toBeDefined();
    expect(harness.languageModels.calls).toHaveLength(1);
    const other = await summaryOf(harness, FOUND);
    expect(other[0]!.data).toMatchObject({ cached: false });
    expect(callOf(other)).toBeUndefined();
  });

  test("is told where the model refuses, before the error, and not where none was asked", async () => {
    await createSummarized(harness);
    harness.languageModels.answers = [failing(new FindlingError("model_refused", "no such model"))];
    const events = await summaryOf(harness, TOLD);
    expect(named(events)).toEqual(["metadata", "model_call", "error"]);
    expect(callOf(events)).toMatchObject({
      outcome: "model_refused",
      input_tokens: null,
      output_tokens: null,
    });
    const nothing = { query: { exact: { ctx: "nothing" } }, model_call: true };
    expect(callOf(await summaryOf(harness, nothing))).toBeUndefined();
  });

  test("is for those who may see the index's settings", async () => {
    await createSummarized(harness);
    const may = (permissions: number): Authority => Authority.ofConfiguredKey("k", permissions);
    await expect(summaryOf(harness, TOLD, { authority: may(1) })).rejects.toMatchObject({
      code: "insufficient_permissions",
    });
    expect(callOf(await summaryOf(harness, TOLD, { authority: may(5) }))).toBeDefined();
    await expect(summaryOf(harness, { ...FOUND, model_call: "yes" })).rejects.toMatchObject({
      code: "invalid_request",
      message: "'model_call' must be true or false, not a string",
    });
  });
});

describe("keyword rules", () => {
  const rules: readonly KeywordRule[] = [
    { rule_name: "late", detect_keywords: ["BOOT"], replacement_term: "nothing at all", order: 9 },
    { rule_name: "winner", detect_keywords: ["no", "OoT"], replacement_term: "summer", order: 1 },
  ];

  test("the first by order that matches anywhere, whatever the case, replaces topic and search", async () => {
    await createSummarized(harness, { keyword_rules: rules });
    const body = { query: [{ exact: { ctx: "*" }, occur: "must" }, { fuzzy: { ctx: "Boots" } }] };
    await summaryOf(harness, { ...body, minimum_number_should_match: 1 });
    const { prompt } = harness.languageModels.calls[0]!.call;
    expect(prompt).toContain("\nsummer\nEND TOPIC");
    expect(prompt).toContain("summer boots");
    expect(prompt).not.toContain("winter boots");
    expect(harness.logger.lines).toContainEqual(
      expect.objectContaining({ fields: expect.objectContaining({ rule_name: "winner" }) }),
    );
  });

  test("the text is that of the first fuzzy or dynamic clause, else of the first exact one", async () => {
    await createSummarized(harness, { keyword_rules: [{ ...rules[1]!, detect_keywords: ["winter"] }] });
    await summaryOf(harness, { query: [{ exact: { ctx: "winter" } }, { dynamic: { ctx: "boots" } }] });
    await summaryOf(harness, { query: [{ exact: { ctx: "boots" } }, { exact: { ctx: "winter" } }] });
    const topics = harness.languageModels.calls.map(({ call }) => /\n(.*)\nEND TOPIC/.exec(call.prompt)![1]);
    expect(topics).toEqual(["boots", "boots"]);
  });
});

describe("nothing found", () => {
  test("no model is asked; the message has the original text in place of the placeholder, once", async () => {
    await createSummarized(harness, {
      empty_state_message: `the index's: ${PLACEHOLDER}`,
      keyword_rules: [
        { rule_name: "r", detect_keywords: ["searchtopic"], replacement_term: "none", order: 1 },
        {
          rule_name: "s",
          detect_keywords: ["xyz"],
          empty_state_message: `No ${PLACEHOLDER}, no $& ${PLACEHOLDER}!`,
          order: 2,
        },
      ],
    });
    expect(await summaryOf(harness, { query: { fuzzy: { ctx: `${PLACEHOLDER} $1` } } })).toEqual([
      { name: "metadata", data: { results_count: 0, cached: false } },
      { name: "delta", data: { content: `the index's: ${PLACEHOLDER} $1` } },
      { name: "done", data: { results_count: 0 } },
    ]);
    expect(textOf(await summaryOf(harness, { query: "xyz$&" }))).toBe("No xyz$&, no $& xyz$&!");
    // Something was found, of which nothing was asked for.
    expect(textOf(await summaryOf(harness, { ...FOUND, limit: 0 }))).toBe("");
    await createSummarized(harness);
    expect(await summaryOf(harness, { query: "absent", sources: true })).toEqual([
      { name: "metadata", data: { results_count: 0, cached: false } },
      { name: "sources", data: { sources: [] } },
      { name: "done", data: { results_count: 0 } },
    ]);
    expect(harness.languageModels.calls).toEqual([]);
  });
});

describe("the text", () => {
  test("ends at the character limit, and the model is stopped at once", async () => {
    await createSummarized(harness, { character_limit: 8 });
    harness.languageModels.answers = [
      (_, signal) => thenSilence(["äöü", "e\u0301x", "yz👍🏽 and more"], signal),
    ];
    const events = await summaryOf(harness);
    expect(textOf(events)).toBe("äöüe\u0301xyz");
    expect(events.at(-1)).toEqual({ name: "done", data: { results_count: 2 } });
    expect(harness.languageModels.calls[0]).toMatchObject({ isEnded: true, signal: { aborted: true } });
  });

  test("names its sources before the end if asked for, from the cache too", async () => {
    await createSummarized(harness);
    const plain = await summaryOf(harness);
    expect(new Set(plain.map(({ name }) => name))).toEqual(new Set(["metadata", "delta", "done"]));
    const told = await summaryOf(harness, { ...FOUND, sources: true });
    expect(told.map(({ name }) => name)).toEqual(["metadata", "delta", "sources", "done"]);
    expect(told[0]!.data).toEqual({ results_count: 2, cached: true });
    expect(told[2]!.data).toEqual({
      sources: [
        { document_id: expect.any(String), source_index: "books" },
        { document_id: expect.any(String), source_index: "books" },
      ],
    });
    await expect(ask(harness, { ...FOUND, sources: "yes" })).rejects.toMatchObject({
      code: "invalid_request",
    });
  });
});

describe("around it", () => {
  test("a summary's search is given up once its reader has gone", async () => {
    await createSummarized(harness);
    const gone = { isGone: true, whenGone: () => () => undefined };
    const asking = harness.services.summaries.summarize(
      "books",
      FOUND,
      { authority: ADMIN, client: {} },
      gone,
    );
    await expect(asking).rejects.toMatchObject({ code: "search_timeout" });
  });

  test("the errors before the stream come in the order of the contract", async () => {
    const { services } = harness;
    const codeOf = (body: object): Promise<unknown> =>
      ask(harness, body).then(
        () => "none",
        (error: FindlingError) => error.code,
      );
    expect(await codeOf({})).toBe("index_not_found");
    const wrong = { query: { exact: { ctx: "nofield:x" } } };
    await services.indexes.create({ index: { name: "books", fields: SUMMARIZED_FIELDS } }, ADMIN);
    const patch = (settings: object): Promise<unknown> => services.indexes.patch("books", settings, ADMIN);
    expect(await codeOf(wrong)).toBe("ai_disabled");
    await patch({ ai: { llm_provider: "ollama", search_summary: { model: "m" } } });
    expect(await codeOf(wrong)).toBe("ai_disabled");
    await patch({ ai_enabled: true, ai: null });
    expect(await codeOf(wrong)).toMatch(/ai_not_configured|unknown_field/);
    await patch({ ai: { llm_provider: "ollama" } });
    expect(await codeOf({})).toBe("summary_not_configured");
    await patch({ ai: { llm_provider: "ollama", search_summary: { model: "m" } } });
    expect(await codeOf({})).toBe("invalid_request");
    expect(await codeOf(wrong)).toBe("unknown_field");
    expect(await codeOf({ ...FOUND, limit: 201 })).toBe("limit_too_large");
    const index = harness.catalog.index("books")!;
    const ai = { ...index.schema.ai!, llm_provider: "abacus" as "ollama" };
    await harness.catalog.putIndex({ ...index, schema: { ...index.schema, ai } });
    expect(await codeOf({})).toBe("invalid_llm_provider");
  });

  test("every answered request is a usage event, with the provider", async () => {
    await createSummarized(harness);
    await summaryOf(harness);
    await summaryOf(harness);
    await summaryOf(harness, { query: "absent" });
    await harness.services.recorder.flush();
    const events = harness.eventStore.events.map(
      ({ eventName, aiProvider, searchTerm, numberOfDocuments }) => [
        eventName,
        aiProvider,
        searchTerm,
        numberOfDocuments,
      ],
    );
    expect(events).toEqual([
      ["api_summary_requested", "ollama", "boots", 2],
      ["api_summary_requested", "ollama", "boots", 2],
      ["api_summary_requested", "ollama", "absent", 0],
    ]);
  });

  test("a stop ends what is being written with an error, tells the totals, and closes the models", async () => {
    await createSummarized(harness);
    await summaryOf(harness);
    await summaryOf(harness);
    harness.languageModels.answers = [(_, signal) => thenSilence(["x"], signal)];
    const stream = await ask(harness, { query: "boots" });
    await stream.next();
    const rest = eventsOf(stream);
    await settle();
    await harness.services.stop();
    expect((await rest).at(-1)).toMatchObject({
      name: "error",
      data: { message: expect.stringContaining("shutting down") },
    });
    expect(harness.languageModels).toMatchObject({ isClosed: true, running: 0 });
    expect(harness.logger.lines).toContainEqual(
      expect.objectContaining({
        message: "summaries since the start",
        fields: expect.objectContaining({ calls: 2, cached_answers: 1, input_tokens: 120 }),
      }),
    );
  });
});
