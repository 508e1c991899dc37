import type { FieldTerms, TermTries } from "../../segment/segment-reader.js";
import type { SearchInterrupt } from "../search-interrupt.js";

/**
 * The field's tries, made if nobody has asked for them before; null if it has none.
 *
 * @throws FindlingError `search_timeout`, what was made until then being of no use
 */
export function madeTries({ tries }: FieldTerms, interrupt: SearchInterrupt): TermTries | null {
  if (tries === null || tries.areMade) return tries;
  for (const _ of tries.make()) interrupt.check();
  return tries;
}
