import { parseDatetime } from "./parse-datetime.js";

/**
 * Milliseconds since the Unix epoch of what `parseDatetime` takes: RFC 3339, `YYYY-MM-DD`, Unix seconds;
 * null for anything else. What is finer than a millisecond is cut off.
 */
export function parseInstant(input: string | number): number | null {
  const canonical = parseDatetime(input, "milliseconds");
  return canonical === null ? null : Date.parse(canonical);
}
