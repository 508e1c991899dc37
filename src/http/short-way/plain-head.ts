import type { IncomingHttpHeaders } from "node:http";
import type { RouteRow } from "../../contract/route-table.js";
import { isHost } from "../hooks/request-form.js";
import type { RouteHandler } from "../routes/route-handler.js";

/** The head of a request that is written as nearly all clients write it; values are ASCII. */
export interface PlainHead {
  /** The target of a `POST`. */
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

/** A route that is answered directly: its path has one parameter, its answers are JSON. */
export interface DirectRoute {
  readonly row: RouteRow;
  readonly handler: RouteHandler;
}

/** A path with one parameter, found in URLs that hold nothing that would have to be decoded. */
export class PlainRoute implements DirectRoute {
  readonly row: RouteRow;
  readonly handler: RouteHandler;
  readonly parameter: string;
  readonly #before: string;
  readonly #after: string;

  constructor({ row, handler }: DirectRoute) {
    const [, before, parameter, after] = /^([^:]*):(\w+)([^:]*)$/.exec(row.path) ?? [];
    if (before === undefined || parameter === undefined || after === undefined || row.method !== "POST")
      throw new TypeError(`the route ${row.method} ${row.path} can't be answered directly`);
    this.row = row;
    this.handler = handler;
    this.parameter = parameter;
    this.#before = before;
    this.#after = after;
  }

  /** The parameter's value; null where the URL is another's, or not written plainly. */
  valueIn(url: string): string | null {
    if (!url.startsWith(this.#before) || !url.endsWith(this.#after)) return null;
    const value = url.slice(this.#before.length, url.length - this.#after.length);
    return PLAIN_VALUE.test(value) ? value : null;
  }
}

const PLAIN_VALUE = /^[\w.-]+$/;

const ZERO = 0x30;

/** A head as bytes, to know another one by that says the same but for the body's length. */
export class HeadBytes {
  readonly #before: Uint8Array;
  readonly #behind: Uint8Array;

  /**
   * @param before all up to the body's length
   * @param behind all that follows it, the empty line included
   */
  constructor(before: string, behind: string) {
    this.#before = Buffer.from(before, "latin1");
    this.#behind = Buffer.from(behind, "latin1");
  }

  /**
   * Where the body begins in a request of one piece that has this head, with the body's own length; -1 in others.
   *
   * @param end of the piece among the bytes
   */
  bodyStartIn(bytes: Uint8Array, end: number): number {
    const before = this.#before;
    const behind = this.#behind;
    const length = bodyLengthOf(end - before.length - behind.length);
    if (length < 0) return -1;
    const start = end - length;
    const lengthEnd = start - behind.length;
    let rest = length;
    for (let at = lengthEnd - 1; at >= before.length; at--) {
      const tens = (rest / 10) | 0;
      if (bytes[at] !== ZERO + rest - 10 * tens) return -1;
      rest = tens;
    }
    for (let i = 0; i < behind.length; i++) if (bytes[lengthEnd + i] !== behind[i]) return -1;
    for (let i = 0; i < before.length; i++) if (bytes[i] !== before[i]) return -1;
    return start;
  }
}

/** @param together the body's length and its digits; -1 unless there is a body that may be so long */
function bodyLengthOf(together: number): number {
  for (let digits = 1, power = 10; digits <= 4; digits++, power *= 10) {
    const length = together - digits;
    if (length < power) return length >= power / 10 && length <= BODY_LENGTH_MAX ? length : -1;
  }
  return -1;
}
