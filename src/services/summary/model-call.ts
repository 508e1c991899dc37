import { FindlingError } from "../../errors/index.js";
import type { Clock } from "../../ports/clock.js";
import type { LanguageModelCall, LanguageModelPart, LanguageModels } from "../../ports/language-models.js";
import { SilenceAlarm } from "./silence-alarm.js";

export interface ModelCallPorts {
  readonly languageModels: LanguageModels;
  readonly clock: Clock;
}

/** What a call has cost so far. */
export interface ModelCallCost {
  attempts: number;
  inputTokens: number | undefined;
  outputTokens: number | undefined;
}

/** Without a word of the model (contract 3.6, 8). */
const SILENCE_MAX_MS = 60_000;
/** From the first attempt to the last word. */
const DURATION_MAX_MS = 300_000;
const RETRIES_MAX = 2;
const RETRY_DELAYS_MS = [500, 2_000];
/** A provider that wants to be left alone for longer isn't asked again. */
const RETRY_AFTER_MAX_SECONDS = 10;

/** A constant, as an abort without a reason makes one with a stack, which takes longer than all else of it. */
const OVER = new Error("the call is over");

/**
 * The model's words as they come. Asks again, twice at most, where the model is overloaded or can't be reached
 * and has not said a word yet. With the signal's abort, or where the caller stops listening, the provider's
 * connection is closed at once.
 *
 * @param cost is kept up to date
 * @throws FindlingError as the port does; `model_unavailable` after too long a silence, or too long a time in all
 */
export async function* modelWords(
  ports: ModelCallPorts,
  call: LanguageModelCall,
  signal: AbortSignal,
  cost: ModelCallCost,
): AsyncGenerator<string, void, undefined> {
  const ending = new AbortController();
  const end = (): void => ending.abort(signal.reason);
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  const tooLong = ports.clock.after(DURATION_MAX_MS, () => ending.abort(timedOut("takes too long")));
  try {
    for (;;) {
      cost.attempts++;
      let hasBegun = false;
      try {
        for await (const part of parts(ports, call, ending.signal)) {
          if (part.kind === "usage") {
            cost.inputTokens = part.inputTokens;
            cost.outputTokens = part.outputTokens;
          } else if (part.text !== "") {
            hasBegun = true;
            yield part.text;
          }
        }
        return;
      } catch (error) {
        const delayMs = hasBegun ? undefined : retryDelay(error, cost.attempts);
        if (delayMs === undefined || ending.signal.aborted) throw error;
        await untilLater(ports.clock, delayMs, ending.signal);
      }
    }
  } finally {
    tooLong.cancel();
    signal.removeEventListener("abort", end);
    ending.abort(OVER);
  }
}

/** One attempt; the connection is closed when it ends, however it ends. */
async function* parts(
  { languageModels, clock }: ModelCallPorts,
  call: LanguageModelCall,
  signal: AbortSignal,
): AsyncGenerator<LanguageModelPart, void, undefined> {
  const attempt = new AbortController();
  const turns = new Turns(languageModels.stream(call, attempt.signal)[Symbol.asyncIterator]());
  const end = (): void => {
    attempt.abort(signal.reason);
    turns.fail(signal.reason);
  };
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  const silence = new SilenceAlarm(clock, SILENCE_MAX_MS, () =>
    turns.fail(timedOut("has sent nothing for too long")),
  );
  try {
    for (let turn = await turns.next(); turn.done !== true; turn = await turns.next()) {
      silence.postpone();
      yield turn.value;
    }
  } finally {
    silence.cancel();
    signal.removeEventListener("abort", end);
    attempt.abort(OVER);
    turns.leave();
  }
}

/** What an iterator yields, until it is over or failed from outside: one that is stuck holds nobody up. */
class Turns<Value> {
  readonly #iterator: AsyncIterator<Value>;
  #reject: (reason: unknown) => void = () => undefined;
  #failure: { readonly reason: unknown } | undefined;

  constructor(iterator: AsyncIterator<Value>) {
    this.#iterator = iterator;
  }

  next(): Promise<IteratorResult<Value, unknown>> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.reason);
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      this.#iterator.next().then(resolve, reject);
    });
  }

  /** The turn that is waited for, and all later ones, are rejected with the reason. */
  fail(reason: unknown): void {
    this.#failure ??= { reason };
    this.#reject(reason);
  }

  /** Tells the iterator that nobody waits for it, and doesn't wait for it. */
  leave(): void {
    this.#iterator.return?.().catch(() => undefined);
  }
}

/** Milliseconds after which to ask again; undefined if that makes no sense. */
function retryDelay(error: unknown, attempts: number): number | undefined {
  if (!(error instanceof FindlingError) || error instanceof ModelTimeout || attempts > RETRIES_MAX) {
    return undefined;
  }
  if (error.code !== "model_overloaded" && error.code !== "model_unavailable") return undefined;
  const { retryAfterSeconds } = error;
  if (retryAfterSeconds !== undefined && retryAfterSeconds > RETRY_AFTER_MAX_SECONDS) return undefined;
  return Math.max(RETRY_DELAYS_MS[attempts - 1] ?? 0, (retryAfterSeconds ?? 0) * 1000);
}

function untilLater(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const alarm = clock.after(delayMs, () => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    });
    const onAbort = (): void => {
      alarm.cancel();
      reject(signal.reason);
    };
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

class ModelTimeout extends FindlingError {}

function timedOut(what: string): ModelTimeout {
  return new ModelTimeout("model_unavailable", `the model ${what}`);
}
