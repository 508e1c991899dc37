import { writeJson } from "../../json/exact-json.js";
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
  return writeJson(Object.fromEntries(envelope));
}

/** What is in `data` of the answer to a request that goes on after it: 202. */
export class AcceptedAnswer {
  readonly data: object;

  constructor(data: object) {
    this.data = data;
  }

  get text(): string {
    return JSON.stringify({ status: 202, data: this.data });
  }
}

/** A writer for one answer after the other. */
const WRITER = new JsonWriter();

/** A value that is JSON already: it goes into the answer as it stands, neither parsed nor stringified. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A whole answer, its envelope included, that is written where it is sent from. */
export abstract class WrittenAnswer {
  /**
   * What `writeTo` would write, in parts that follow each other, where that is too much to be written in one go
   * (`WHOLE_BYTES_MAX`); else null. They are not to be changed.
   */
  parts(): readonly Uint8Array[] | null {
    return null;
  }

  abstract writeTo(writer: JsonWriter): void;
}

/** Names and values in turns, as the lines of a head. */
export function linesOf(headers: readonly string[]): string {
  let lines = "";
  for (let i = 0; i + 1 < headers.length; i += 2) lines += `${headers[i]!}: ${headers[i + 1]!}\r\n`;
  return lines;
}

/** What the head of an answer says beside what all of them say. */
export interface AnswerHead {
  /** The headers of CORS, names and values in turns; one list for all that say the same. */
  readonly cors: readonly string[];
  readonly requestId: string;
}

/** The headers that every answer has, errors included; names and values in turns. */
export function headersOf({ cors, requestId }: AnswerHead): string[] {
  return [...cors, "x-request-id", requestId, "x-content-type-options", "nosniff"];
}
