import type { IncomingHttpHeaders } from "node:http";
import { EVENT_TEXT_LENGTH_MAX, USER_TYPES } from "../contract/measure-event.js";
import type { RequestClient } from "../services/measure/request-origin.js";

/** What a request's headers and its connection tell of the person behind it (contract 1.2). */
export function requestClient(
  headers: IncomingHttpHeaders,
  remoteAddress: string | undefined,
): RequestClient {
  const userId = textOf(headers["x-sc-user-id"]);
  const sessionId = textOf(headers["x-sc-session-id"]);
  const sentType = textOf(headers["x-sc-user-type"])?.toLowerCase();
  const userType = USER_TYPES.find((type) => type === sentType);
  const userAgent = textOf(headers["user-agent"]);
  return {
    ...(userId !== undefined && { userId }),
    ...(sessionId !== undefined && { sessionId }),
    ...(userType !== undefined && { userType }),
    ...(userAgent !== undefined && { userAgent }),
    ...(remoteAddress !== undefined && { remoteAddress }),
  };
}

/** Headers are Latin-1, so a character is a code unit; longer ones than an event may hold are cut. */
function textOf(value: string | readonly string[] | undefined): string | undefined {
  const text = (typeof value === "string" ? value : value?.at(-1))?.trim().slice(0, EVENT_TEXT_LENGTH_MAX);
  return text === "" ? undefined : text;
}
