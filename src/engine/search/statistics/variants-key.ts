import type { WordPattern } from "../query.js";

/** Tells a word's variants in a field from those of all others. */
export function variantsKey(field: string, { term, maxDistance, begun }: WordPattern): string {
  const whole = `${field.length} ${field} ${maxDistance}${term}`;
  return begun === undefined ? whole : `${whole} ${begun.maxDistance}${begun.prefix}`;
}
