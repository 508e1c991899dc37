import { type IncomingHttpHeaders, IncomingMessage, type ServerResponse } from "node:http";
import { isIP, type Socket } from "node:net";
import proxyAddress from "@fastify/proxy-addr";
import { EVENT_TEXT_LENGTH_MAX, USER_TYPES } from "../../contract/measure-event.js";
import type { RequestClient } from "../../services/measure/request-origin.js";
import { CloseListeners } from "./close-listeners.js";

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

/** Whose requests are, by the ends of their connections and what trusted proxies say. */
export class ClientAddresses {
  readonly #isTrusted: ((address: string, hop: number) => boolean) | null;

  /** @param trustedProxies addresses and networks whose `X-Forwarded-For` is believed */
  constructor(trustedProxies: readonly string[]) {
    this.#isTrusted = trustedProxies.length === 0 ? null : proxyAddress.compile([...trustedProxies]);
  }

  /** What trusted proxies say if it is an address, else the other end of the connection. */
  of(headers: IncomingHttpHeaders, socket: Socket): string | undefined {
    const { remoteAddress } = socket;
    if (this.#isTrusted === null) return remoteAddress;
    const request = new IncomingMessage(socket);
    request.headers = headers;
    const told = proxyAddress(request, this.#isTrusted);
    return isIP(told) === 0 ? remoteAddress : told;
  }
}

/** Who waits for an answer, until it has been sent. */
export interface RequestCaller {
  /** Whether the connection was closed before the answer. */
  readonly isGone: boolean;
  /** Calls the listener once, when the connection closes, unless what is returned is called before. */
  whenGone(listener: () => void): () => void;
}

/** Whoever waits for a response of Node's. */
export class ResponseCaller implements RequestCaller {
  readonly #response: ServerResponse;
  readonly #listeners: CloseListeners;

  constructor(response: ServerResponse) {
    this.#response = response;
    this.#listeners = new CloseListeners(response);
  }

  get isGone(): boolean {
    return this.#response.destroyed && !this.#response.writableFinished;
  }

  whenGone(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }
}

/**
 * Whether a stream that was to be sent broke off only because its reader has left, which closes it: Fastify hands that
 * on as the stream's own failure where the head hasn't left yet.
 */
export function isLeaving(thrown: unknown, caller: RequestCaller): boolean {
  const { code } = (thrown ?? {}) as { readonly code?: unknown };
  return caller.isGone && code === "ERR_STREAM_PREMATURE_CLOSE";
}
