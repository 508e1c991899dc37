/** A JSON object as it came in: anything may be in it. */
export type WireObject = Readonly<Record<string, unknown>>;

/**
 * The value as an object, or undefined if it isn't one. `[]` is `{}`, because PHP clients turn
 * every empty object that they have read into an empty array (contract 1.1).
 */
export function asWireObject(value: unknown): WireObject | undefined {
  if (Array.isArray(value)) return value.length === 0 ? {} : undefined;
  return typeof value === "object" && value !== null ? (value as WireObject) : undefined;
}

/** The member's value if the object itself has it and it isn't null: a null member counts as absent. */
export function memberOf(object: WireObject, name: string): unknown {
  const value = object[name];
  // Most members that are asked for are left out: then it doesn't matter whose the value would be.
  return value === undefined || value === null || !Object.hasOwn(object, name) ? undefined : value;
}

/** A copy without the members that are null. */
export function withoutNulls(object: WireObject): WireObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}

/** What a JSON value is, in words for a message. */
export function describeKind(value: unknown): string {
  if (value === undefined) return "nothing at all";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  return typeof value === "bigint" ? "a number" : `a ${typeof value}`;
}
