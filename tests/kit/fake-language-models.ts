import type {
  LanguageModelCall,
  LanguageModelPart,
  LanguageModels,
} from "../../src/ports/language-models.js";

/** What a fake model says to a call. */
export type FakeAnswer = (
  call: LanguageModelCall,
  signal: AbortSignal,
) => Iterable<string> | AsyncIterable<string>;

export interface FakeCall {
  readonly call: LanguageModelCall;
  readonly signal: AbortSignal;
  isEnded: boolean;
}

/** Models whose answers a test makes up; remembers what they were asked. */
export class FakeLanguageModels implements LanguageModels {
  readonly calls: FakeCall[] = [];
  isClosed = false;
  /** Said by the next calls, in order; the last one again and again. */
  answers: FakeAnswer[] = [() => ["A summary."]];
  usage: Extract<LanguageModelPart, { kind: "usage" }> | null = {
    kind: "usage",
    inputTokens: 120,
    outputTokens: 12,
  };

  /** Calls whose answers have not ended. */
  get running(): number {
    return this.calls.filter(({ isEnded }) => !isEnded).length;
  }

  async *stream(
    call: LanguageModelCall,
    signal: AbortSignal,
  ): AsyncGenerator<LanguageModelPart, void, undefined> {
    const made: FakeCall = { call, signal, isEnded: false };
    this.calls.push(made);
    const answer = this.answers.length > 1 ? this.answers.shift()! : this.answers[0]!;
    try {
      for await (const text of answer(call, signal)) {
        signal.throwIfAborted();
        yield { kind: "text", text };
      }
      if (this.usage !== null) yield this.usage;
    } finally {
      made.isEnded = true;
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

/** Says the pieces, and then nothing more until the reader is gone. */
export async function* thenSilence(
  pieces: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  yield* pieces;
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
