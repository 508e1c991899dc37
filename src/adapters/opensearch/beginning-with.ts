import { meantBy } from "../../analysis/korean-beginnings.js";
import type { Dsl } from "./dsl.js";

/** Terms that begin like a prefix, whose last syllable may be half typed. */
export function beginningWith(path: string, prefix: string): Dsl {
  const { first, last } = meantBy(prefix.codePointAt(prefix.length - 1)!);
  if (first === last) return { prefix: { [path]: prefix } };
  const before = prefix.slice(0, -1);
  const start = before + String.fromCharCode(first);
  return { range: { [path]: { gte: start, lt: before + String.fromCharCode(last + 1) } } };
}
