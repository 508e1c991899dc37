/** JSON values that the server keeps as they are may not be nested deeper: writing them out recurses. */
export const MAX_NESTING = 100;

/** Whether arrays and objects are nested in the value more than `levels` deep. Doesn't recurse further. */
export function isNestedDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((member) => isNestedDeeperThan(member, levels - 1));
}
