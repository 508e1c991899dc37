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
  /** Letters and digits of the texts. Looked through gram by gram: sets of grams take a hundred times the room. */
  readonly #system: string;
  readonly #secrets: readonly string[];
  /** The last letters and digits. */
  #recent = "";
  #held = "";
  /** Grams in a row that the system prompt has, too. */
  #run = 0;

  constructor({ system, secrets }: GuardedTexts) {
    this.#system = lettersOf(system);
    this.#secrets = secrets.map(lettersOf);
  }

  /** @throws FindlingError `model_refused` once the text recites the prompt */
  push(text: string): string {
    let out = "";
    for (const char of text) {
      this.#held += char;
      const letters = LETTERS_OF_ASCII[char.charCodeAt(0)] ?? lettersOf(char);
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
    const recent = (this.#recent + letters).slice(-GRAM_LENGTH);
    this.#recent = recent;
    if (recent.length < GRAM_LENGTH) return;
    for (const secret of this.#secrets) if (secret.includes(recent)) throw recited();
    this.#run = this.#system.includes(recent) ? this.#run + 1 : 0;
    if (this.#run + GRAM_LENGTH > LEAK_LENGTH) throw recited();
  }
}

/** Letters and digits alone, in lower case. */
function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

/** By code, as the regular expression takes longer than everything else. */
const LETTERS_OF_ASCII: readonly string[] = Array.from({ length: 128 }, (_, code) =>
  lettersOf(String.fromCharCode(code)),
);

function recited(): FindlingError {
  return new FindlingError("model_refused", "the model recited its instructions");
}
