/** Checks of what callers without types may get wrong: each names the place, and what belongs there. */
import { nearestNameAdvice } from "../contract/nearest-name.js";
import { describeKind } from "../contract/wire-object.js";
import { type ErrorCode, FindlingError } from "../errors/index.js";

/** @throws FindlingError with the code, `invalid_request` unless given */
export function refuse(message: string, code: ErrorCode = "invalid_request"): never {
  throw new FindlingError(code, message);
}

/**
 * The members of an object of options, of which each has a name that is known.
 *
 * @param what the object is, such as "the options of a search"
 */
export function requireMembers(
  what: string,
  value: unknown,
  known: readonly string[],
): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    refuse(`${what} must be an object, not ${describeKind(value)}`);
  }
  for (const name of Object.keys(value)) {
    if (!known.includes(name))
      refuse(`${what} have no '${name}'${nearestNameAdvice(name, known)}; there are ${known.join(", ")}`);
  }
  return value as Readonly<Record<string, unknown>>;
}

export function requireText(name: string, value: unknown): string {
  return typeof value === "string" ? value : refuse(`${name} must be text, not ${describeKind(value)}`);
}

export function requireFlag(name: string, value: unknown): boolean {
  return typeof value === "boolean"
    ? value
    : refuse(`${name} must be true or false, not ${describeKind(value)}`);
}

/** @param least smallest number that will do */
export function requireWhole(name: string, value: unknown, least: number): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= least) return value;
  return refuse(
    `${name} must be a whole number of at least ${least}, not ${typeof value === "number" ? value : describeKind(value)}`,
  );
}

export function requireTexts(name: string, value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
  return refuse(`${name} must be a list of texts, not ${describeKind(value)}`);
}

export function requireOneOf<Choice extends string>(
  name: string,
  value: unknown,
  choices: readonly Choice[],
): Choice {
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  const said = typeof value === "string" ? `'${value}'` : describeKind(value);
  return refuse(`${name} must be one of ${choices.join(", ")}, not ${said}`);
}

/** Numbers by name, each at least 0. */
export function requireWeights(name: string, value: unknown): Readonly<Record<string, number>> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    refuse(`${name} must be an object of numbers by field, not ${describeKind(value)}`);
  for (const [field, weight] of Object.entries(value)) {
    if (typeof weight !== "number" || !(weight >= 0) || weight === Number.POSITIVE_INFINITY)
      refuse(`${name}.${field} must be a number of at least 0`);
  }
  return value as Readonly<Record<string, number>>;
}
