import { JsonText, WrittenAnswer } from "./json-text.js";
import { JsonWriter } from "./json-writer.js";

/** Content type of every envelope. */
export const JSON_TYPE = "application/json; charset=utf-8";

/** What the envelope and the errors call their own; a member of `data` of that name is not repeated. */
export const ENVELOPE_MEMBERS: ReadonlySet<string> = new Set(["status", "data", "message", "error"]);

/** Around `data`. */
export const ENVELOPE_START = '{"status":200,"data":';
export const ENVELOPE_END = "}";

/**
 * The body of a success (contract 1.4): `data` in its envelope and, for mirrored routes, every member
 * of an object `data` once more beside it.
 */
export function successAnswer(data: unknown, mirrored: boolean): string | Buffer {
  if (data instanceof WrittenAnswer) {
    data.writeTo(WRITER.clear());
    return WRITER.take();
  }
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

/** Of one answer after the other. */
const WRITER = new JsonWriter();
