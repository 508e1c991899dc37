import { type ErrorCode, FindlingError } from "../errors/index.js";
import { asWireObject, describeKind, type WireObject } from "./wire-object.js";

/** What refuses a request for what stands at one place of it. @param problem a predicate, such as `must be …` */
export function invalidMember(
  path: string,
  problem: string,
  code: ErrorCode = "invalid_request",
): FindlingError {
  return refusalAt(path, `'${path}' ${problem}`, code);
}

/** As `invalidMember`, with a message that names the place in its own way, or needn't. */
export function refusalAt(path: string, message: string, code: ErrorCode = "invalid_request"): FindlingError {
  return new FindlingError(code, message, { items: [{ path, message }] });
}

/** @throws FindlingError `invalid_request` unless the body is an object */
export function requireObject(body: unknown): WireObject {
  const object = asWireObject(body);
  if (object !== undefined) return object;
  throw notAnObject(body, "the body");
}

/** @param subject as the message begins */
export function notAnObject(value: unknown, subject: string): FindlingError {
  return new FindlingError("invalid_request", `${subject} must be an object, not ${describeKind(value)}`);
}

/** A yes or no of the URL's query, absent: no. @throws FindlingError `invalid_request` */
export function queryFlag(query: Readonly<Record<string, unknown>>, name: string): boolean {
  const { [name]: value = "false" } = query;
  if (value === "true" || value === "") return true;
  if (value === "false") return false;
  throw invalidMember(name, "must be true or false, once");
}
