import { JsonAnswer, JsonText, SharedAnswer } from "./json-text.js";

/** Content type of every envelope. */
export const JSON_TYPE = "application/json; charset=utf-8";

/** What the envelope and the errors call their own; a member of `data` of that name is not repeated. */
const ENVELOPE_MEMBERS: ReadonlySet<string> = new Set(["status", "data", "message", "error"]);

/** Around `data`. */
export const ENVELOPE_START = '{"status":200,"data":';
export const ENVELOPE_END = "}";

/**
 * The body of a success (contract 1.4): `data` in its envelope and, for mirrored routes, every member
 * of an object `data` once more beside it.
 */
export function successAnswer(data: unknown, mirrored: boolean): string | Buffer {
  if (data instanceof JsonAnswer) return data.bytes;
  if (data instanceof SharedAnswer)
    return Buffer.concat([data.before, Buffer.from(data.own, "latin1"), data.after]);
  if (data instanceof JsonText) return ENVELOPE_START + data.text + ENVELOPE_END;
  const envelope: [string, unknown][] = [
    ["status", 200],
    ["data", data],
  ];
  if (mirrored && typeof data === "object" && data !== null && !Array.isArray(data)) {
    envelope.push(...Object.entries(data).filter(([name]) => !ENVELOPE_MEMBERS.has(name)));
  }
  return JSON.stringify(Object.fromEntries(envelope));
}
