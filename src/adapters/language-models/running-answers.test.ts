// What the models' thread sends, and how much of it before it is taken; over models that the tests make up.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FindlingError } from "../../errors/index.js";
import type { LanguageModelCall, LanguageModelPart } from "../../ports/language-models.js";
import { ANSWER_WINDOW_LENGTH, type AnswerUpdate } from "./model-messages.js";
import { RunningAnswers } from "./running-answers.js";

const CALL: LanguageModelCall = {
  provider: "ollama",
  model: "m",
  system: "",
  prompt: "",
  temperature: 0,
  maxOutputTokens: 1,
};

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

type Says = (signal: AbortSignal) => AsyncIterable<string>;

/** Answers of one kind, and the batches that were sent of them. */
function running(says: Says): { readonly answers: RunningAnswers; readonly batches: AnswerUpdate[][] } {
  const batches: AnswerUpdate[][] = [];
  const models = {
    async *stream(_call: LanguageModelCall, signal: AbortSignal): AsyncGenerator<LanguageModelPart> {
      for await (const text of says(signal)) yield { kind: "text", text };
    },
  };
  return { answers: new RunningAnswers(models, (updates) => batches.push([...updates])), batches };
}

const settled = (): Promise<void> => new Promise((resume) => setImmediate(resume));
const text = (id: number, piece: string): AnswerUpdate => ({ id, part: { kind: "text", text: piece } });

test("the first word of an answer leaves at once, what follows in batches, of all answers together", async () => {
  const { answers, batches } = running(async function* () {
    yield* ["a", "b", "c"];
  });
  answers.obey({ kind: "begin", id: 1, call: CALL });
  answers.obey({ kind: "begin", id: 2, call: CALL });
  await settled();
  expect(batches.flat().filter((update) => "part" in update)).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(20);
  expect(batches).toHaveLength(3);
  for (const id of [1, 2]) {
    expect(batches.flat().filter((update) => update.id === id)).toEqual([
      text(id, "a"),
      text(id, "b"),
      text(id, "c"),
      { id, failure: null },
    ]);
  }
});

test("an answer that is not taken is not read on, and goes on once it is", async () => {
  let said = 0;
  const piece = "x".repeat(1024);
  const { answers, batches } = running(async function* () {
    for (; said < 1_000; said++) yield piece;
  });
  answers.obey({ kind: "begin", id: 1, call: CALL });
  await settled();
  await vi.advanceTimersByTimeAsync(100);
  expect(said).toBe(ANSWER_WINDOW_LENGTH / 1024 - 1);
  answers.obey({ kind: "taken", id: 1, length: 10 * 1024 });
  await settled();
  expect(said).toBe(ANSWER_WINDOW_LENGTH / 1024 + 9);
  for (let i = 0; i < 100; i++) {
    answers.obey({ kind: "taken", id: 1, length: 10 * 1024 });
    await settled();
  }
  await vi.advanceTimersByTimeAsync(20);
  expect(batches.flat().filter((update) => "part" in update)).toHaveLength(1_000);
  expect(batches.flat().at(-1)).toEqual({ id: 1, failure: null });
});

test.each(["while it waits to be taken", "in silence"])(
  "a cancelled answer ends %s, and nothing more is told of it",
  async (when) => {
    let isEnded = false;
    let reason: unknown;
    const { answers, batches } = running(async function* (signal) {
      try {
        if (when === "in silence") {
          await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
          signal.throwIfAborted();
        }
        for (;;) yield "x".repeat(ANSWER_WINDOW_LENGTH);
      } finally {
        isEnded = true;
        reason = signal.reason;
      }
    });
    answers.obey({ kind: "begin", id: 1, call: CALL });
    await settled();
    const before = batches.flat().length;
    answers.obey({ kind: "cancel", id: 1 });
    await settled();
    await vi.advanceTimersByTimeAsync(100);
    expect(isEnded).toBe(true);
    expect(reason).toBeInstanceOf(FindlingError);
    expect(batches.flat()).toHaveLength(before);
  },
);

test("an error that isn't ours goes without a word of it", async () => {
  const { answers, batches } = running(async function* () {
    yield "so far";
    throw new Error("CANARY");
  });
  answers.obey({ kind: "begin", id: 1, call: CALL });
  await settled();
  await vi.advanceTimersByTimeAsync(20);
  expect(batches.flat().at(-1)).toMatchObject({ failure: { code: "model_unavailable" } });
  expect(JSON.stringify(batches)).not.toContain("CANARY");
});
