import type { FindlingError } from "../../errors/index.js";
import type { LanguageModelPart } from "../../ports/language-models.js";

/** What has come of one answer and has not been taken yet; for one reader, who asks again once it was answered. */
export class AnswerInbox {
  #parts: LanguageModelPart[] = [];
  #isEnded = false;
  #error: FindlingError | undefined;
  #aborted: AbortSignal | undefined;
  #wake: () => void = () => undefined;

  /** Whether nothing more will come. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  put(part: LanguageModelPart): void {
    if (this.#isEnded) return;
    this.#parts.push(part);
    this.#wake();
  }

  /** The end, to be told when the parts before it have been taken; with an error if it ended badly. */
  end(error: FindlingError | null): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#error = error ?? undefined;
    this.#wake();
  }

  /** The reader wants no more: what is there is forgotten, and the signal's reason is thrown. */
  abort(signal: AbortSignal): void {
    this.#isEnded = true;
    this.#parts = [];
    this.#aborted = signal;
    this.#wake();
  }

  /** All that is there, once there is something; undefined at the end. Throws what the answer ended with. */
  async take(): Promise<readonly LanguageModelPart[] | undefined> {
    while (this.#parts.length === 0) {
      this.#aborted?.throwIfAborted();
      if (this.#error !== undefined) throw this.#error;
      if (this.#isEnded) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }
}
