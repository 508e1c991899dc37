import { type IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isIP, type Socket } from "node:net";
import proxyAddress from "@fastify/proxy-addr";

/** Whose requests are, by the ends of their connections and what trusted proxies say. */
export class ClientAddresses {
  readonly #isTrusted: ((address: string, hop: number) => boolean) | null;

  /** @param trustedProxies addresses and networks whose `X-Forwarded-For` is believed */
  constructor(trustedProxies: readonly string[]) {
    this.#isTrusted = trustedProxies.length === 0 ? null : proxyAddress.compile([...trustedProxies]);
  }

  /** What trusted proxies say if it is an address, else the other end of the connection. */
  of(request: IncomingMessage): string | undefined {
    const { remoteAddress } = request.socket;
    if (this.#isTrusted === null) return remoteAddress;
    const told = proxyAddress(request, this.#isTrusted);
    return isIP(told) === 0 ? remoteAddress : told;
  }

  /** The same of a request that Node's parser hasn't read. */
  ofHeaders(headers: IncomingHttpHeaders, socket: Socket): string | undefined {
    if (this.#isTrusted === null) return socket.remoteAddress;
    const request = new IncomingMessage(socket);
    request.headers = headers;
    return this.of(request);
  }
}
