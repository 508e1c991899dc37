import type { LanguageModels } from "../../ports/language-models.js";
import { unavailable } from "./model-errors.js";
import { ANSWER_WINDOW_LENGTH, type AnswerUpdate, failureOf, type ModelOrder } from "./model-messages.js";

/** For how long updates are gathered: a message costs far more than what it holds. */
const BATCH_MS = 20;

interface RunningAnswer {
  readonly ending: AbortController;
  /** UTF-16 units that are on their way. */
  length: number;
  goOn: () => void;
}

/**
 * The models' thread: begins answers, and sends what comes of all of them in batches, each answer's first
 * word at once.
 */
export class RunningAnswers {
  readonly #models: Pick<LanguageModels, "stream">;
  readonly #send: (updates: readonly AnswerUpdate[]) => void;
  readonly #running = new Map<number, RunningAnswer>();
  #updates: AnswerUpdate[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(models: Pick<LanguageModels, "stream">, send: (updates: readonly AnswerUpdate[]) => void) {
    this.#models = models;
    this.#send = send;
  }

  obey(order: ModelOrder): void {
    if (order.kind === "begin") {
      void this.#answer(order);
      return;
    }
    const answer = this.#running.get(order.id);
    if (answer === undefined) return;
    if (order.kind === "taken") {
      answer.length -= order.length;
      if (answer.length < ANSWER_WINDOW_LENGTH) answer.goOn();
    } else {
      this.#running.delete(order.id);
      answer.ending.abort(unavailable("nobody reads the answer any longer"));
      answer.goOn();
    }
  }

  async #answer({ id, call }: Extract<ModelOrder, { kind: "begin" }>): Promise<void> {
    const answer: RunningAnswer = { ending: new AbortController(), length: 0, goOn: () => undefined };
    this.#running.set(id, answer);
    let isFirst = true;
    let failure: ReturnType<typeof failureOf> | null = null;
    try {
      for await (const part of this.#models.stream(call, answer.ending.signal)) {
        if (answer.ending.signal.aborted) break;
        this.#add({ id, part });
        if (isFirst) this.#flush();
        isFirst = false;
        if (part.kind !== "text") continue;
        answer.length += part.text.length;
        if (answer.length >= ANSWER_WINDOW_LENGTH) await untilTaken(answer);
      }
    } catch (error) {
      failure = failureOf(error);
    }
    if (this.#running.delete(id)) this.#add({ id, failure });
  }

  #add(update: AnswerUpdate): void {
    this.#updates.push(update);
    this.#timer ??= setTimeout(() => this.#flush(), BATCH_MS);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#updates.length === 0) return;
    const updates = this.#updates;
    this.#updates = [];
    this.#send(updates);
  }
}

function untilTaken(answer: RunningAnswer): Promise<void> {
  if (answer.ending.signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    answer.goOn = resolve;
  });
}
