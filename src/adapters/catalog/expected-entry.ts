import { FindlingError } from "../../errors/index.js";

/**
 * The comparison of a compare-and-set.
 *
 * @param subject such as `index 'books'`
 * @param expected null: there must be no entry; undefined: there may be any
 * @throws FindlingError `conflict` if the entry is another than the expected one
 */
export function requireExpected<Entry extends object>(
  subject: string,
  present: Entry | undefined,
  expected: Entry | null | undefined,
): void {
  if (expected !== undefined && present !== (expected ?? undefined)) throw changedMeanwhile(subject);
}

export function changedMeanwhile(subject: string): FindlingError {
  return new FindlingError(
    "conflict",
    `the ${subject} was changed by another request at the same time; nothing has changed, send this one again`,
  );
}
