import { FindlingError } from "../../../errors/index.js";
import type { TextFilter } from "./text-filter.js";

/** Letters and digits in a row that are compared at a time. */
const GRAM_LENGTH = 16;
/** Letters and digits in a row that are taken for the system prompt itself, not for words it shares with a text. */
const LEAK_LENGTH = 48;
/** Characters, all others included, that are held back at most. */
const HELD_LENGTH_MAX = 2000;

export interface GuardedTexts {
  /** May not be told in long runs. */
  readonly system: string;
  /**
   * May not be told at all: the marker of the prompts, which shows that they are being recited, and the
   * provider's key, which a server that is asked for an answer could give back.
   */
  readonly secrets: readonly string[];
}

/**
 * Stops a model that recites its system prompt: case, spaces and punctuation aside, no more than the first
 * few words of it get out.
 */
export class PromptLeakGuard implements TextFilter {
  readonly #systemGrams: ReadonlySet<string>;
  readonly #secretGrams: ReadonlySet<string>;
  /** The last letters and digits. */
  #recent = "";
  #held = "";
  /** Grams in a row that the system prompt has, too. */
  #run = 0;

  constructor({ system, secrets }: GuardedTexts) {
    this.#systemGrams = gramsOf(system);
    this.#secretGrams = new Set(secrets.flatMap((secret) => [...gramsOf(secret)]));
  }

  /** @throws FindlingError `model_refused` once the text recites the prompt */
  push(text: string): string {
    let out = "";
    for (const char of text) {
      this.#held += char;
      const letters = lettersOf(char);
      if (letters !== "") this.#compare(letters);
      if (this.#run > 0 && this.#held.length <= HELD_LENGTH_MAX) continue;
      out += this.#held;
      this.#held = "";
    }
    return out;
  }

  end(): string {
    const rest = this.#held;
    this.#held = "";
    return rest;
  }

  #compare(letters: string): void {
    this.#recent = (this.#recent + letters).slice(-GRAM_LENGTH);
    if (this.#secretGrams.has(this.#recent)) throw recited();
    this.#run = this.#systemGrams.has(this.#recent) ? this.#run + 1 : 0;
    if (this.#run + GRAM_LENGTH > LEAK_LENGTH) throw recited();
  }
}

function gramsOf(text: string): ReadonlySet<string> {
  const letters = lettersOf(text);
  const grams = new Set<string>();
  for (let end = GRAM_LENGTH; end <= letters.length; end++) grams.add(letters.slice(end - GRAM_LENGTH, end));
  return grams;
}

/** Letters and digits alone, in lower case. */
function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

function recited(): FindlingError {
  return new FindlingError("model_refused", "the model recited its instructions");
}
