import type { AuthInfo, McpHttpHandler, McpServer } from "@modelcontextprotocol/server";
import { loadOptional } from "../errors/index.js";
import type { ApiCall } from "./api-call.js";

export type Sdk = typeof import("@modelcontextprotocol/server");

/** What one request is answered by. */
export type ServerOf = (sdk: Sdk, call: ApiCall) => McpServer;

/**
 * The Model Context Protocol over HTTP, revisions 2026-07-28 and 2025-11-25 and earlier ones without sessions, by the
 * official SDK: every request is answered by a server of its own, with the rights of its own access key.
 */
export class McpEndpoint {
  readonly #serverOf: ServerOf;
  /** Loaded with the first request: few servers are asked by this protocol. */
  #handler: Promise<McpHttpHandler> | null = null;

  /** @param serverOf what the endpoint offers, made for each request */
  constructor(serverOf: ServerOf) {
    this.#serverOf = serverOf;
  }

  /**
   * Answers one request of the protocol.
   *
   * @param request with its headers; its body is not looked at
   * @param body the request's, parsed
   * @param call the API, as the request's access key may use it
   * @throws FindlingError `not_supported` where the SDK isn't installed
   */
  async answer(request: Request, body: unknown, call: ApiCall): Promise<Response> {
    this.#handler ??= this.#load().catch((error: unknown) => {
      this.#handler = null;
      throw error;
    });
    const handler = await this.#handler;
    // No key goes any further than here.
    const authInfo: AuthInfo = { token: "", clientId: "", scopes: [], extra: { call } };
    return handler.fetch(request, { authInfo, parsedBody: body });
  }

  async #load(): Promise<McpHttpHandler> {
    const sdk = await loadOptional(
      "@modelcontextprotocol/server",
      () => import("@modelcontextprotocol/server"),
    );
    return sdk.createMcpHandler(({ authInfo }) => this.#serverOf(sdk, authInfo?.extra?.["call"] as ApiCall), {
      responseMode: "auto",
    });
  }
}
