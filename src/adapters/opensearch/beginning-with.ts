import { lastMeant } from "../../analysis/korean-particles.js";
import type { Dsl } from "./dsl.js";

/** Terms that begin like a prefix, whose last syllable may be half typed. */
export function beginningWith(path: string, prefix: string): Dsl {
  const last = prefix.codePointAt(prefix.length - 1)!;
  const meant = lastMeant(last);
  if (meant === last) return { prefix: { [path]: prefix } };
  return { range: { [path]: { gte: prefix, lt: prefix.slice(0, -1) + String.fromCharCode(meant + 1) } } };
}
