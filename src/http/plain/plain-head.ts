import type { IncomingHttpHeaders } from "node:http";
import { isHost } from "../host-header.js";

/** The head of a request that is written as nearly all clients write it; values are ASCII. */
export interface PlainHead {
  /** Of a `POST`. */
  readonly url: string;
  /** By names in small letters. */
  readonly headers: IncomingHttpHeaders;
  /** Bytes, at least 1. */
  readonly bodyLength: number;
}

/** Longer heads are Node's business. */
export const PLAIN_HEAD_LENGTH_MAX = 4_096;
/** Longer bodies don't always arrive in one piece, and don't name a request. */
export const BODY_LENGTH_MAX = 4_096;

const REQUEST_LINE = /^POST (\/[\w./-]+) HTTP\/1\.1$/;
const HEADER_LINE = /^([A-Za-z0-9-]+): ?([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)$/;
const BODY_LENGTH = /^[1-9][0-9]{0,3}$/;
/** What says how a body comes, or that more than an answer is wanted, or what has a type of its own in Node. */
const SPECIAL: ReadonlySet<string> = new Set([
  "content-encoding",
  "expect",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "set-cookie",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * Reads a head only if there is but one way to read it: a plain path, one short body of a known length, each header
 * once, a connection that stays open.
 *
 * @param text without the empty line that ends it
 * @returns null where it isn't like that, be it valid or not
 */
export function plainHead(text: string): PlainHead | null {
  const [requestLine, ...lines] = text.split("\r\n");
  const url = REQUEST_LINE.exec(requestLine!)?.[1];
  if (url === undefined) return null;
  const headers: IncomingHttpHeaders = {};
  for (const line of lines) {
    const [, written, value] = HEADER_LINE.exec(line) ?? [];
    if (written === undefined || value === undefined) return null;
    const name = written.toLowerCase();
    if (Object.hasOwn(headers, name) || SPECIAL.has(name)) return null;
    headers[name] = value;
  }
  const { host, connection = "keep-alive", "content-length": length = "" } = headers;
  if (host === undefined || !isHost(host)) return null;
  if (connection.toLowerCase() !== "keep-alive" || !BODY_LENGTH.test(length)) return null;
  const bodyLength = Number(length);
  return bodyLength > BODY_LENGTH_MAX ? null : { url, headers, bodyLength };
}
