import { FindlingError } from "../../errors/index.js";
import type { Clock } from "../../ports/clock.js";
import { equalsInConstantTime } from "./configured-keys.js";
import { generateKey } from "./generate-key.js";

const GOOD_FOR_MS = 600_000;

/**
 * The code by which the operator, who sees the terminal, gets a key without copying one: good once, for ten minutes, and
 * from the machine itself alone. Only one is good at a time.
 */
export class SignInCodes {
  readonly #clock: Clock;
  #open: { readonly code: string; readonly key: string; readonly untilMs: number } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param key what the code is exchanged for */
  issue(key: string): string {
    const code = generateKey();
    this.#open = { code, key, untilMs: this.#clock.now() + GOOD_FOR_MS };
    return code;
  }

  /**
   * @param isLocal whether the request came from this machine, through nobody else
   * @throws FindlingError `insufficient_permissions`, `invalid_key`
   */
  redeem(code: string, isLocal: boolean): string {
    if (!isLocal) {
      throw new FindlingError(
        "insufficient_permissions",
        "a sign-in code is taken from the server's own machine only; sign in with a key",
      );
    }
    const open = this.#open;
    if (open === null || this.#clock.now() >= open.untilMs || !equalsInConstantTime(open.code, code)) {
      throw new FindlingError(
        "invalid_key",
        "the sign-in code is not known, was used before or is older than ten minutes; sign in with a key",
      );
    }
    this.#open = null;
    return open.key;
  }
}
