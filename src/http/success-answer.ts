import { JsonAnswer, JsonBytes, JsonText } from "./json-text.js";

/** What the envelope and the errors call their own; a member of `data` of that name is not repeated. */
const ENVELOPE_MEMBERS: ReadonlySet<string> = new Set(["status", "data", "message", "error"]);

/** Around `data`. */
export const ENVELOPE_START: Buffer = Buffer.from('{"status":200,"data":');
export const ENVELOPE_END: Buffer = Buffer.from("}");

/**
 * The body of a success (contract 1.4): `data` in its envelope and, for mirrored routes, every member
 * of an object `data` once more beside it.
 */
export function successAnswer(data: unknown, mirrored: boolean): string | Buffer {
  if (data instanceof JsonAnswer) return data.bytes;
  if (data instanceof JsonBytes) return Buffer.concat([ENVELOPE_START, ...data.pieces, ENVELOPE_END]);
  if (data instanceof JsonText) return `{"status":200,"data":${data.text}}`;
  const envelope: [string, unknown][] = [
    ["status", 200],
    ["data", data],
  ];
  if (mirrored && typeof data === "object" && data !== null && !Array.isArray(data)) {
    envelope.push(...Object.entries(data).filter(([name]) => !ENVELOPE_MEMBERS.has(name)));
  }
  return JSON.stringify(Object.fromEntries(envelope));
}
