import { SHARE_ENV, Worker } from "node:worker_threads";
import type { LanguageModelCall, LanguageModelPart, LanguageModels } from "../../ports/language-models.js";
import { AnswerInbox } from "./answer-inbox.js";
import type { BaseUrlRules } from "./base-url.js";
import { unavailable } from "./model-errors.js";
import { ANSWER_WINDOW_LENGTH, type AnswerUpdate, errorOf, type ModelOrder } from "./model-messages.js";

/** Updates that are passed on between two looks at other work, such as the next search. */
const SLICE_LENGTH = 32;
/** UTF-16 units after whose taking the thread is told so: seldom, but before it has to wait. */
const TAKEN_LENGTH = ANSWER_WINDOW_LENGTH / 4;

/**
 * The providers, spoken with in a thread of their own (docs/adr/0017), which starts with the first call. If it
 * dies, the answers that it was giving end with `model_unavailable`, and the next call starts another.
 */
export class ThreadedLanguageModels implements LanguageModels {
  readonly #startThread: () => Worker;
  readonly #inboxes = new Map<number, AnswerInbox>();
  #worker: Worker | null = null;
  #nextId = 1;
  /** Still to be passed on; a turn for the next slice is taken as long as there are any. */
  readonly #updates: AnswerUpdate[] = [];
  #isClosed = false;

  constructor(rules: BaseUrlRules, startThread: (rules: BaseUrlRules) => Worker = startModelThread) {
    // Nothing else of the options: functions can't go into another thread.
    const { gateways, allowedOrigins } = rules;
    this.#startThread = () => startThread({ gateways, allowedOrigins });
  }

  async *stream(call: LanguageModelCall, signal: AbortSignal): AsyncGenerator<LanguageModelPart, void, void> {
    signal.throwIfAborted();
    if (this.#isClosed) throw unavailable("the server is stopping");
    const worker = (this.#worker ??= this.#start());
    const id = this.#nextId++;
    const inbox = new AnswerInbox();
    const abort = (): void => inbox.abort(signal);
    const tell = (order: ModelOrder): void => worker.postMessage(order);
    signal.addEventListener("abort", abort, { once: true });
    this.#inboxes.set(id, inbox);
    let isWhole = false;
    let length = 0;
    try {
      tell({ kind: "begin", id, call });
      for (let parts = await inbox.take(); parts !== undefined; parts = await inbox.take()) {
        for (const part of parts) {
          if (part.kind === "text") length += part.text.length;
          yield part;
          signal.throwIfAborted();
        }
        if (length < TAKEN_LENGTH) continue;
        tell({ kind: "taken", id, length });
        length = 0;
      }
      isWhole = true;
    } finally {
      signal.removeEventListener("abort", abort);
      this.#inboxes.delete(id);
      if (!isWhole) tell({ kind: "cancel", id });
    }
  }

  /** Ends the thread, and with it all connections. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    this.#worker = null;
    this.#end("the server is stopping");
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = this.#startThread();
    worker.unref();
    worker.on("message", (updates: readonly AnswerUpdate[]) => {
      const isDelivering = this.#updates.length > 0;
      for (const update of updates) this.#updates.push(update);
      if (!isDelivering) this.#deliver(SLICE_LENGTH);
    });
    const died = (why: string): void => {
      if (this.#worker !== worker) return;
      this.#worker = null;
      this.#deliver(this.#updates.length);
      this.#end(`the thread that speaks with language models ended (${why})`);
    };
    worker.on("error", (error: NodeJS.ErrnoException) => died(kindOf(error)));
    worker.on("exit", (code) => died(`exit code ${code}`));
    return worker;
  }

  #deliver(count: number): void {
    for (const update of this.#updates.splice(0, count)) {
      const inbox = this.#inboxes.get(update.id);
      if (inbox === undefined) continue;
      if ("part" in update) inbox.put(update.part);
      else inbox.end(update.failure === null ? null : errorOf(update.failure));
    }
    if (this.#updates.length > 0) setImmediate(() => this.#deliver(SLICE_LENGTH));
  }

  #end(details: string): void {
    for (const inbox of this.#inboxes.values()) inbox.end(unavailable(details));
  }
}

/** What can be told of an error that nobody expected: nothing that could quote anything. */
function kindOf({ code, name }: NodeJS.ErrnoException): string {
  return typeof code === "string" && /^[A-Z_]+$/.test(code) ? code : name;
}

/** The thread's compiled file: beside this one, or in `dist` when this runs from the sources (tests). */
export function startModelThread(rules: BaseUrlRules): Worker {
  const here = import.meta.url;
  const program = here.endsWith(".ts")
    ? new URL("../../../dist/adapters/language-models/model-worker.js", here)
    : new URL("./model-worker.js", here);
  // The operator's AWS credentials are looked up in the environment.
  return new Worker(program, { workerData: rules, env: SHARE_ENV });
}
