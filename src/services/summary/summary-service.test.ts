// The semantics of contract 3.6 over a model whose words the tests make up, and time by hand.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeAnswer, thenSilence } from "../../../tests/kit/fake-language-models.js";
import { ServiceHarness } from "../../../tests/kit/service-harness.js";
import type { KeywordRule, SearchSummaryConfig } from "../../contract/ai-config.js";
import type { SummaryEvent } from "../../contract/summary.js";
import { FindlingError } from "../../errors/index.js";
import { Authority } from "../keys/authority.js";

const ADMIN = Authority.unrestricted();
const FIELDS = {
  id: { type: "text" },
  title: { type: "text" },
  price: { type: "f64" },
  tags: { type: "text", multi: true },
  secret: { type: "text", stored: false },
};

let harness: ServiceHarness;
beforeEach(async () => {
  harness = await ServiceHarness.open();
});
afterEach(() => harness.close());

async function createIndex(summary: Partial<SearchSummaryConfig> = {}, name = "books"): Promise<void> {
  const ai = { llm_provider: "ollama", search_summary: { model: "m", ...summary } };
  await harness.services.indexes.create(
    { override_if_exists: true, index: { name, fields: FIELDS, ai_enabled: true, ai } },
    ADMIN,
  );
  await harness.services.documents.add(name, [
    { tags: ["warm", "red"], title: "winter boots", price: 9.5, id: "1", secret: "s3cret" },
    { id: "2", title: "summer boots" },
  ]);
  await harness.services.documents.commit(name);
}

const PLACEHOLDER = "$" + "{searchTopic}";
const FOUND = { query: { exact: { ctx: "boots" } } };

async function ask(
  body: object = FOUND,
  { signal = new AbortController().signal, authority = ADMIN, index = "books" } = {},
): Promise<AsyncGenerator<SummaryEvent>> {
  const answer = await harness.services.summaries.summarize(index, body, { authority, client: {} });
  return answer.events(signal);
}

test("a summary's search is given up once its reader has gone", async () => {
  await createIndex();
  const gone = { isGone: true, whenGone: () => () => undefined };
  const asking = harness.services.summaries.summarize("books", FOUND, { authority: ADMIN, client: {} }, gone);
  await expect(asking).rejects.toMatchObject({ code: "search_timeout" });
});

async function eventsOf(stream: AsyncIterable<SummaryEvent>): Promise<SummaryEvent[]> {
  const events: SummaryEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

async function summaryOf(body?: object, options?: Parameters<typeof ask>[1]): Promise<SummaryEvent[]> {
  return eventsOf(await ask(body, options));
}

const textOf = (events: readonly SummaryEvent[]): string =>
  events.map((event) => (event.name === "delta" ? event.data.content : "")).join("");

/** Lets everything go on that doesn't wait for the clock. */
async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((resume) => setImmediate(resume));
}

const failing = (error: unknown, before: readonly string[] = []): FakeAnswer =>
  async function* () {
    yield* before;
    throw error;
  };

describe("the prompt", () => {
  test("has role, topic, stored fields in the order of the schema, instructions in theirs, and the limit", async () => {
    await createIndex({
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
    await summaryOf();
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
    await createIndex({ max_results: 1, document_trim_length: 12 });
    const events = await summaryOf({ ...FOUND, limit: 50, fields: ["title"] });
    expect(events[0]).toEqual({ name: "metadata", data: { results_count: 1, cached: false } });
    expect(harness.languageModels.calls[0]!.call.prompt).toMatch(/\ntitle: winte\nEND/);
    await createIndex({ max_results: 300 });
    expect((await summaryOf())[0]!.data).toMatchObject({ results_count: 2 });
    expect((await summaryOf({ ...FOUND, limit: 1 }))[0]!.data).toMatchObject({ results_count: 1 });
  });
});

describe("keyword rules", () => {
  const rules: readonly KeywordRule[] = [
    { rule_name: "late", detect_keywords: ["BOOT"], replacement_term: "nothing at all", order: 9 },
    { rule_name: "winner", detect_keywords: ["no", "OoT"], replacement_term: "summer", order: 1 },
  ];

  test("the first by order that matches anywhere, whatever the case, replaces topic and search", async () => {
    await createIndex({ keyword_rules: rules });
    const body = { query: [{ exact: { ctx: "*" }, occur: "must" }, { fuzzy: { ctx: "Boots" } }] };
    await summaryOf({ ...body, minimum_number_should_match: 1 });
    const { prompt } = harness.languageModels.calls[0]!.call;
    expect(prompt).toContain("\nsummer\nEND TOPIC");
    expect(prompt).toContain("summer boots");
    expect(prompt).not.toContain("winter boots");
    expect(harness.logger.lines).toContainEqual(
      expect.objectContaining({ fields: expect.objectContaining({ rule_name: "winner" }) }),
    );
  });

  test("the text is that of the first fuzzy or dynamic clause, else of the first exact one", async () => {
    await createIndex({ keyword_rules: [{ ...rules[1]!, detect_keywords: ["winter"] }] });
    await summaryOf({ query: [{ exact: { ctx: "winter" } }, { dynamic: { ctx: "boots" } }] });
    await summaryOf({ query: [{ exact: { ctx: "boots" } }, { exact: { ctx: "winter" } }] });
    const topics = harness.languageModels.calls.map(({ call }) => /\n(.*)\nEND TOPIC/.exec(call.prompt)![1]);
    expect(topics).toEqual(["boots", "boots"]);
  });
});

describe("nothing found", () => {
  test("no model is asked; the message has the original text in place of the placeholder, once", async () => {
    await createIndex({
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
    expect(await summaryOf({ query: { fuzzy: { ctx: `${PLACEHOLDER} $1` } } })).toEqual([
      { name: "metadata", data: { results_count: 0, cached: false } },
      { name: "delta", data: { content: `the index's: ${PLACEHOLDER} $1` } },
      { name: "done", data: { results_count: 0 } },
    ]);
    expect(textOf(await summaryOf({ query: "xyz$&" }))).toBe("No xyz$&, no $& xyz$&!");
    expect(textOf(await summaryOf({ ...FOUND, limit: 0 }))).toBe("the index's: boots");
    await createIndex();
    expect(await summaryOf({ query: "absent", sources: true })).toEqual([
      { name: "metadata", data: { results_count: 0, cached: false } },
      { name: "sources", data: { sources: [] } },
      { name: "done", data: { results_count: 0 } },
    ]);
    expect(harness.languageModels.calls).toEqual([]);
  });
});

describe("the text", () => {
  test("ends at the character limit, and the model is stopped at once", async () => {
    await createIndex({ character_limit: 8 });
    harness.languageModels.answers = [
      (_, signal) => thenSilence(["äöü", "e\u0301x", "yz👍🏽 and more"], signal),
    ];
    const events = await summaryOf();
    expect(textOf(events)).toBe("äöüe\u0301xyz");
    expect(events.at(-1)).toEqual({ name: "done", data: { results_count: 2 } });
    expect(harness.languageModels.calls[0]).toMatchObject({ isEnded: true, signal: { aborted: true } });
  });

  test("names its sources before the end if asked for, from the cache too", async () => {
    await createIndex();
    const plain = await summaryOf();
    expect(new Set(plain.map(({ name }) => name))).toEqual(new Set(["metadata", "delta", "done"]));
    const told = await summaryOf({ ...FOUND, sources: true });
    expect(told.map(({ name }) => name)).toEqual(["metadata", "delta", "sources", "done"]);
    expect(told[0]!.data).toEqual({ results_count: 2, cached: true });
    expect(told[2]!.data).toEqual({
      sources: [
        { document_id: expect.any(String), source_index: "books" },
        { document_id: expect.any(String), source_index: "books" },
      ],
    });
    await expect(ask({ ...FOUND, sources: "yes" })).rejects.toMatchObject({ code: "invalid_request" });
  });
});

describe("the cache", () => {
  const isCached = async (...args: Parameters<typeof ask>): Promise<unknown> => {
    const [first] = await summaryOf(...args);
    return (first!.data as { cached: unknown }).cached;
  };

  test("answers for five minutes whatever asks for the same, however it is written", async () => {
    await createIndex({ max_results: 5 });
    expect(await isCached()).toBe(false);
    for (const body of [
      FOUND,
      { ...FOUND, limit: 5 },
      { ...FOUND, limit: 100, explain: true, sort: "asc" },
    ]) {
      expect(await isCached(body)).toBe(true);
    }
    await harness.clock.advance(299_999);
    expect(await isCached()).toBe(true);
    await harness.clock.advance(1);
    expect(await isCached()).toBe(false);
    for (const body of [
      { ...FOUND, limit: 1 },
      { ...FOUND, offset: 1 },
      { query: "boots" },
      { ...FOUND, fields: ["title"] },
    ]) {
      expect([body, await isCached(body)]).toEqual([body, false]);
    }
  });

  test("forgets with a commit, other settings, other synonyms, and never answers for another index", async () => {
    await createIndex();
    const { services } = harness;
    const changes: (() => Promise<unknown>)[] = [
      () =>
        services.documents
          .add("books", [{ id: "3", title: "boots" }])
          .then(() => services.documents.commit("books")),
      () =>
        services.indexes.patch(
          "books",
          { ai: { llm_provider: "ollama", search_summary: { model: "n" } } },
          ADMIN,
        ),
      () => services.dictionaries.addSynonyms("books", ["shoe:boots"]),
      () => createIndex(),
    ];
    for (const change of changes) {
      await isCached();
      expect(await isCached()).toBe(true);
      await change();
      expect(await isCached()).toBe(false);
    }
    await createIndex({}, "others");
    expect(await isCached(FOUND, { index: "others" })).toBe(false);
  });

  test("keeps successes only", async () => {
    await createIndex();
    harness.languageModels.answers = [
      failing(new FindlingError("model_unavailable", "x"), ["A"]),
      () => ["B"],
    ];
    expect((await summaryOf()).at(-1)!.name).toBe("error");
    expect(await isCached()).toBe(false);
    expect(await isCached()).toBe(true);
  });
});

describe("one call for all who ask the same", () => {
  test("each reads all of it at its own pace; the call ends with the last reader", async () => {
    await createIndex();
    harness.languageModels.answers = [(_, signal) => thenSilence(["one ", "two "], signal)];
    const leaving = [new AbortController(), new AbortController(), new AbortController()];
    const streams = await Promise.all(leaving.map(({ signal }) => ask(FOUND, { signal })));
    const [quick, slow, late] = streams as [(typeof streams)[0], (typeof streams)[0], (typeof streams)[0]];
    await quick.next();
    const seen = [(await quick.next()).value];
    const second = quick.next();
    await harness.clock.advance(50);
    seen.push((await second).value);
    expect(textOf(seen as SummaryEvent[])).toBe("one two");
    await slow.next();
    expect(textOf([(await slow.next()).value as SummaryEvent])).toBe("one two");
    expect(harness.languageModels.calls).toHaveLength(1);
    leaving[0]!.abort();
    leaving[2]!.abort();
    await settle();
    expect(harness.languageModels.running).toBe(1);
    expect((await late.next()).value).toMatchObject({ name: "metadata" });
    leaving[1]!.abort();
    await settle();
    expect(harness.languageModels.calls[0]).toMatchObject({ isEnded: true, signal: { aborted: true } });
    expect(harness.logger.lines.at(-1)).toMatchObject({ fields: { outcome: "given_up" } });
    expect(await eventsOf(slow)).not.toContainEqual(expect.objectContaining({ name: "error" }));
  });

  test("who comes when all have left begins anew, and a reader that never read holds nothing", async () => {
    await createIndex();
    const gone = new AbortController();
    await ask(FOUND, { signal: gone.signal });
    gone.abort();
    expect(textOf(await summaryOf())).toBe("A summary.");
    expect(harness.languageModels.calls).toHaveLength(1);
    await harness.clock.advance(1_000);
    expect(harness.clock.waiting).toBe(0);
  });
});

describe("a model that fails", () => {
  const error = (
    code: "model_refused" | "model_overloaded" | "model_unavailable",
    seconds?: number,
  ): FindlingError =>
    new FindlingError(
      code,
      "what the provider said",
      seconds === undefined ? {} : { retryAfterSeconds: seconds },
    );

  test("is asked again twice while it has not said a word, after the pause that it wants", async () => {
    await createIndex();
    const { languageModels, clock } = harness;
    languageModels.answers = [
      failing(error("model_unavailable")),
      failing(error("model_overloaded", 7)),
      () => ["At last."],
    ];
    const events = summaryOf();
    await settle();
    expect(languageModels.calls).toHaveLength(1);
    await clock.advance(500);
    await settle();
    expect(languageModels.calls).toHaveLength(2);
    await clock.advance(6_999);
    expect(languageModels.calls).toHaveLength(2);
    await clock.advance(1);
    expect(textOf(await events)).toBe("At last.");
    expect(harness.logger.lines.at(-1)).toMatchObject({
      fields: { outcome: "done", attempts: 3, input_tokens: 120, output_tokens: 12 },
    });
  });

  test.each([
    ["after its first word", failing(error("model_unavailable"), ["Some"]), 1],
    ["where it refuses", failing(error("model_refused")), 1],
    ["where it wants too long a pause", failing(error("model_overloaded", 60)), 1],
    ["after the third time", failing(error("model_unavailable")), 3],
    ["where it ends without a word", () => [], 1],
  ])("is not asked again %s: an error that doesn't say what the provider said", async (_, answer, calls) => {
    await createIndex();
    harness.languageModels.answers = [answer];
    const events = summaryOf();
    for (let i = 0; i < 5; i++) {
      await settle();
      await harness.clock.advance(2_000);
    }
    const last = (await events).at(-1)!;
    expect(last).toEqual({ name: "error", data: { message: expect.stringMatching(/^the language model /) } });
    expect(JSON.stringify(await events)).not.toContain("provider said");
    expect(harness.languageModels.calls).toHaveLength(calls);
    expect(harness.clock.waiting).toBe(0);
  });

  test("by a minute's silence ends in an error, after words as before them; by words without end, too", async () => {
    await createIndex({ character_limit: 1_000_000 });
    const { languageModels, clock } = harness;
    languageModels.answers = [
      (_, signal) => thenSilence([], signal),
      (_, signal) => thenSilence(["Some words"], signal),
    ];
    for (const text of ["", "Some"]) {
      const events = summaryOf();
      await settle();
      await clock.advance(59_999);
      expect(languageModels.running).toBe(1);
      await clock.advance(1);
      await settle();
      expect(languageModels.running).toBe(0);
      expect(textOf(await events).startsWith(text)).toBe(true);
      expect((await events).at(-1)).toMatchObject({ name: "error" });
    }
    languageModels.answers = [
      async function* (_, signal) {
        while (!signal.aborted) {
          await new Promise<void>((resume) => {
            clock.after(50_000, resume);
          });
          yield "on and on ";
        }
      },
    ];
    const events = summaryOf();
    for (let i = 0; i < 7; i++) {
      await settle();
      await clock.advance(50_000);
    }
    expect((await events).at(-1)).toMatchObject({ name: "error" });
  });

  test("with an error of no known kind is answered without a word of it, and logged by its name", async () => {
    await createIndex();
    harness.languageModels.answers = [failing(new TypeError("sk-secret"))];
    expect((await summaryOf()).at(-1)).toEqual({ name: "error", data: { message: "the summary failed" } });
    expect(harness.logger.lines.at(-1)).toMatchObject({ fields: { outcome: "internal: TypeError" } });
    expect(JSON.stringify(harness.logger.lines)).not.toContain("sk-secret");
  });
});

describe("budgets", () => {
  const keyed = (key: string): { authority: Authority } => ({ authority: Authority.ofConfiguredKey(key, 1) });
  const refusal = (seconds: number): object => ({ code: "rate_limited", retryAfterSeconds: seconds });

  test("of a key and of an index per minute; what needs no call costs nothing", async () => {
    await harness.close();
    harness = await ServiceHarness.open({
      summaryCalls: { callsPerKey: 2, callsPerIndex: 3, concurrentCalls: 9 },
    });
    await createIndex();
    const body = (offset: number): object => ({
      ...FOUND,
      limit: 1,
      offset: 0,
      fields: ["id", `title`].slice(0, offset),
    });
    await summaryOf(body(1), keyed("a-key-of-somebody"));
    await harness.clock.advance(20_000);
    await summaryOf(body(2), keyed("a-key-of-somebody"));
    for (let i = 0; i < 3; i++) await summaryOf(body(1), keyed("a-key-of-somebody"));
    await summaryOf({ query: "absent" }, keyed("a-key-of-somebody"));
    await expect(ask(FOUND, keyed("a-key-of-somebody"))).rejects.toMatchObject(refusal(40));
    await summaryOf(FOUND, keyed("a-key-of-another"));
    await expect(ask({ query: "boots" }, keyed("a-third-key-here"))).rejects.toMatchObject(refusal(40));
    await summaryOf(FOUND, keyed("a-third-key-here"));
    await harness.clock.advance(40_000);
    await summaryOf({ query: "boots" }, keyed("a-key-of-somebody"));
    await expect(ask({ query: "summer" }, keyed("a-key-of-somebody"))).rejects.toMatchObject(refusal(20));
  });

  test("of calls at a time, given back however a call ends", async () => {
    await harness.close();
    harness = await ServiceHarness.open({
      summaryCalls: { callsPerKey: 0, callsPerIndex: 0, concurrentCalls: 1 },
    });
    await createIndex();
    harness.languageModels.answers = [
      (_, signal) => thenSilence(["x"], signal),
      failing(new FindlingError("model_refused", "x")),
      () => ["y"],
    ];
    const leaving = new AbortController();
    const stream = await ask(FOUND, { signal: leaving.signal });
    await stream.next();
    const rest = eventsOf(stream);
    await settle();
    await expect(ask({ query: "boots" })).rejects.toMatchObject({ code: "rate_limited" });
    leaving.abort();
    await rest;
    await settle();
    expect((await summaryOf({ query: "boots" })).at(-1)!.name).toBe("error");
    expect(textOf(await summaryOf({ query: "boots" }))).toBe("y");
  });
});

describe("around it", () => {
  test("the errors before the stream come in the order of the contract", async () => {
    const { services } = harness;
    const codeOf = (body: object): Promise<unknown> =>
      ask(body).then(
        () => "none",
        (error: FindlingError) => error.code,
      );
    expect(await codeOf({})).toBe("index_not_found");
    const wrong = { query: { exact: { ctx: "nofield:x" } } };
    await services.indexes.create({ index: { name: "books", fields: FIELDS } }, ADMIN);
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
    await createIndex();
    await summaryOf();
    await summaryOf();
    await summaryOf({ query: "absent" });
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
    await createIndex();
    await summaryOf();
    await summaryOf();
    harness.languageModels.answers = [(_, signal) => thenSilence(["x"], signal)];
    const stream = await ask({ query: "boots" });
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
