// Calls of a model (contract 3.6): who shares one and who is answered from the cache, what becomes of one that fails,
// and how many there may be. The model's words are made up, and time goes by hand.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { thenSilence } from "../../../tests/kit/fake-language-models.js";
import { ServiceHarness } from "../../../tests/kit/service-harness.js";
import {
  type AskOptions,
  ask,
  createSummarized,
  eventsOf,
  FOUND,
  failing,
  settle,
  summaryOf,
  textOf,
} from "../../../tests/kit/summary-requests.js";
import type { SummaryEvent } from "../../contract/summary.js";
import { FindlingError } from "../../errors/index.js";
import { Authority } from "../authority/authority.js";

const ADMIN = Authority.unrestricted();

let harness: ServiceHarness;
beforeEach(async () => {
  harness = await ServiceHarness.open();
});
afterEach(() => harness.close());

describe("the cache", () => {
  const isCached = async (body?: object, options?: AskOptions): Promise<unknown> => {
    const [first] = await summaryOf(harness, body, options);
    return (first!.data as { cached: unknown }).cached;
  };

  test("answers for five minutes whatever asks for the same, however it is written", async () => {
    await createSummarized(harness, { max_results: 5 });
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
    await createSummarized(harness);
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
      () => createSummarized(harness),
    ];
    for (const change of changes) {
      await isCached();
      expect(await isCached()).toBe(true);
      await change();
      expect(await isCached()).toBe(false);
    }
    await createSummarized(harness, {}, "others");
    expect(await isCached(FOUND, { index: "others" })).toBe(false);
  });

  test("keeps successes only", async () => {
    await createSummarized(harness);
    harness.languageModels.answers = [
      failing(new FindlingError("model_unavailable", "x"), ["A"]),
      () => ["B"],
    ];
    expect((await summaryOf(harness)).at(-1)!.name).toBe("error");
    expect(await isCached()).toBe(false);
    expect(await isCached()).toBe(true);
  });
});

describe("one call for all who ask the same", () => {
  test("each reads all of it at its own pace; the call ends with the last reader", async () => {
    await createSummarized(harness);
    harness.languageModels.answers = [(_, signal) => thenSilence(["one ", "two "], signal)];
    const leaving = [new AbortController(), new AbortController(), new AbortController()];
    const streams = await Promise.all(leaving.map(({ signal }) => ask(harness, FOUND, { signal })));
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
    await createSummarized(harness);
    const gone = new AbortController();
    await ask(harness, FOUND, { signal: gone.signal });
    gone.abort();
    expect(textOf(await summaryOf(harness))).toBe("A summary.");
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
    await createSummarized(harness);
    const { languageModels, clock } = harness;
    languageModels.answers = [
      failing(error("model_unavailable")),
      failing(error("model_overloaded", 7)),
      () => ["At last."],
    ];
    const events = summaryOf(harness);
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
    await createSummarized(harness);
    harness.languageModels.answers = [answer];
    const events = summaryOf(harness);
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
    await createSummarized(harness, { character_limit: 1_000_000 });
    const { languageModels, clock } = harness;
    languageModels.answers = [
      (_, signal) => thenSilence([], signal),
      (_, signal) => thenSilence(["Some words"], signal),
    ];
    for (const text of ["", "Some"]) {
      const events = summaryOf(harness);
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
    const events = summaryOf(harness);
    for (let i = 0; i < 7; i++) {
      await settle();
      await clock.advance(50_000);
    }
    expect((await events).at(-1)).toMatchObject({ name: "error" });
  });

  test("with an error of no known kind is answered without a word of it, and logged by its name", async () => {
    await createSummarized(harness);
    harness.languageModels.answers = [failing(new TypeError("sk-secret"))];
    expect((await summaryOf(harness)).at(-1)).toEqual({
      name: "error",
      data: { message: "the summary failed" },
    });
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
    await createSummarized(harness);
    const body = (offset: number): object => ({
      ...FOUND,
      limit: 1,
      offset: 0,
      fields: ["id", `title`].slice(0, offset),
    });
    await summaryOf(harness, body(1), keyed("a-key-of-somebody"));
    await harness.clock.advance(20_000);
    await summaryOf(harness, body(2), keyed("a-key-of-somebody"));
    for (let i = 0; i < 3; i++) await summaryOf(harness, body(1), keyed("a-key-of-somebody"));
    await summaryOf(harness, { query: "absent" }, keyed("a-key-of-somebody"));
    await expect(ask(harness, FOUND, keyed("a-key-of-somebody"))).rejects.toMatchObject(refusal(40));
    await summaryOf(harness, FOUND, keyed("a-key-of-another"));
    await expect(ask(harness, { query: "boots" }, keyed("a-third-key-here"))).rejects.toMatchObject(
      refusal(40),
    );
    await summaryOf(harness, FOUND, keyed("a-third-key-here"));
    await harness.clock.advance(40_000);
    await summaryOf(harness, { query: "boots" }, keyed("a-key-of-somebody"));
    await expect(ask(harness, { query: "summer" }, keyed("a-key-of-somebody"))).rejects.toMatchObject(
      refusal(20),
    );
  });

  test("of calls at a time, given back however a call ends", async () => {
    await harness.close();
    harness = await ServiceHarness.open({
      summaryCalls: { callsPerKey: 0, callsPerIndex: 0, concurrentCalls: 1 },
    });
    await createSummarized(harness);
    harness.languageModels.answers = [
      (_, signal) => thenSilence(["x"], signal),
      failing(new FindlingError("model_refused", "x")),
      () => ["y"],
    ];
    const leaving = new AbortController();
    const stream = await ask(harness, FOUND, { signal: leaving.signal });
    await stream.next();
    const rest = eventsOf(stream);
    await settle();
    await expect(ask(harness, { query: "boots" })).rejects.toMatchObject({ code: "rate_limited" });
    leaving.abort();
    await rest;
    await settle();
    expect((await summaryOf(harness, { query: "boots" })).at(-1)!.name).toBe("error");
    expect(textOf(await summaryOf(harness, { query: "boots" }))).toBe("y");
  });
});
