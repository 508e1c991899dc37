/** JSON values that the server keeps as they are may not be nested deeper: writing them out recurses. */
const NESTING_MAX = 100;

/**
 * Why a JSON value can't be kept as it is, worded to follow its name; null if it can. A number such as `1e400` is read
 * as infinite, and would be written out as `null`.
 */
export function keptJsonProblem(value: unknown): string | null {
  return problemIn(value, NESTING_MAX);
}

/** Doesn't recurse further than those levels. */
function problemIn(value: unknown, levels: number): string | null {
  if (value === Infinity || value === -Infinity) return "must not hold a number of more than 1.8e308";
  if (typeof value !== "object" || value === null) return null;
  if (levels === 0) return `must not be nested more than ${NESTING_MAX} levels deep`;
  for (const member of Object.values(value)) {
    const problem = problemIn(member, levels - 1);
    if (problem !== null) return problem;
  }
  return null;
}
