import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { Errors } from "typebox/value";
import { type ErrorCode, FindlingError } from "../errors/index.js";
import { describeKind } from "./wire-object.js";
import type { WireSchema } from "./wire-schema.js";

/** What typebox reports; the same members as Ajv's. */
interface ShapeError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/**
 * Throws an error that names the first place where the value doesn't fit the schema, such as
 * `'fields.title.indexed' must be a boolean, not a string`. All places are in its items.
 *
 * @throws FindlingError with the given code
 */
export function checkShape<T>(schema: WireSchema<T>, value: unknown, code: ErrorCode): asserts value is T {
  if (checkOf(schema)(value)) return;
  const items = [];
  const seen = new Set<string>();
  for (const error of errorsByPlace(schema, value)) {
    const place = pathOf(error.instancePath);
    for (const [path, problem] of problemsOf(error, place, value)) {
      if (seen.has(path)) continue;
      seen.add(path);
      items.push({ path, message: `${path === "" ? "the body" : `'${path}'`} ${problem}` });
    }
  }
  const first = items[0];
  if (first === undefined) return;
  throw new FindlingError(code, first.message, { items: items.slice(0, MAX_ITEMS) });
}

const MAX_ITEMS = 20;

/** Whether a value fits, by code made for the schema: looking for errors in a list of thousands takes a hundred times as long. */
function checkOf(schema: TSchema): (value: unknown) => boolean {
  let check = CHECKS.get(schema);
  if (check === undefined) {
    const validator = Compile(schema);
    check = (value) => validator.Check(value);
    CHECKS.set(schema, check);
  }
  return check;
}

const CHECKS = new WeakMap<TSchema, (value: unknown) => boolean>();

/** One error for each place: a failed union reports its members' errors first and itself last. */
function errorsByPlace(schema: TSchema, value: unknown): ShapeError[] {
  const errors: readonly ShapeError[] = Errors(schema, value);
  return errors.map(
    (error) =>
      errors.find((other) => other.keyword === "anyOf" && other.instancePath === error.instancePath) ?? error,
  );
}

function problemsOf(error: ShapeError, place: string, root: unknown): [string, string][] {
  const { params } = error;
  switch (error.keyword) {
    case "required":
      return (params["requiredProperties"] as string[]).map((name) => [joinPath(place, name), "is missing"]);
    case "type": {
      const kind = TYPE_NAMES[String(params["type"])] ?? `a ${String(params["type"])}`;
      return [[place, `must be ${kind}, not ${describeValue(valueAt(root, error.instancePath))}`]];
    }
    case "enum":
      return [[place, `must be one of ${(params["allowedValues"] as unknown[]).join(", ")}`]];
    case "anyOf":
      return [[place, "must be a string or an integer within ±(2^53-1)"]];
    case "minimum":
      return [[place, `must be at least ${String(params["limit"])}`]];
    case "maximum":
      return [[place, `must be at most ${String(params["limit"])}`]];
    case "minLength":
      return [[place, "must not be empty"]];
    case "minItems": {
      const least = Number(params["limit"]);
      return [[place, `must hold at least ${least === 1 ? "one entry" : `${least} entries`}`]];
    }
    default:
      return [[place, error.message]];
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  object: "an object",
  array: "an array",
  string: "a string",
  number: "a number",
  integer: "an integer",
  boolean: "true or false",
};

function describeValue(value: unknown): string {
  return typeof value === "number" ? String(value) : describeKind(value);
}

function segmentsOf(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** `/fields/title/0` as `fields.title[0]`. */
function pathOf(pointer: string): string {
  return segmentsOf(pointer).reduce(joinPath, "");
}

function joinPath(path: string, segment: string): string {
  if (segment === "") return path;
  if (path === "") return segment;
  return /^[0-9]+$/.test(segment) ? `${path}[${segment}]` : `${path}.${segment}`;
}

function valueAt(root: unknown, pointer: string): unknown {
  return segmentsOf(pointer).reduce<unknown>(
    (value, segment) => (value as Readonly<Record<string, unknown>> | undefined)?.[segment],
    root,
  );
}
