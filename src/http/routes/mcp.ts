import { ROUTE_TABLE, type RouteRow } from "../../contract/route-table.js";
import { FindlingError } from "../../errors/index.js";
import { readJson } from "../../json/exact-json.js";
import type { ApiRequest } from "../../mcp/api-call.js";
import type { McpEndpoint } from "../../mcp/mcp-endpoint.js";
import type { KeyService } from "../../services/keys/key-service.js";
import { JsonText, successAnswer, WrittenAnswer } from "../answers/envelope.js";
import { WebAnswer } from "../answers/web-answer.js";
import type { HandlersOf, RouteCall, RouteHandler, RouteHandlers } from "./route-handler.js";

export interface McpRouteOptions {
  /** Null: it is switched off. */
  readonly endpoint: McpEndpoint | null;
  readonly keys: Pick<KeyService, "authorize">;
  /** Origins of web pages that may ask; `*` is any. */
  readonly origins: readonly string[];
}

const ROWS: ReadonlyMap<string, RouteRow> = new Map(ROUTE_TABLE.map((row) => [row.operationId, row]));

/** @param handlers of all other routes, which tools call with the request's own rights */
export function mcpRoutes(
  handlers: Omit<RouteHandlers, "callMcp">,
  { endpoint, keys, origins }: McpRouteOptions,
): HandlersOf<"MCP"> {
  return {
    async callMcp(call) {
      if (endpoint === null)
        throw new FindlingError("not_found", "MCP is switched off on this server (FINDLING_MCP)");
      requireOrigin(call, origins);
      const answer = await endpoint.answer(webRequest(call), call.body, async (operation, request) => {
        const row = ROWS.get(operation)!;
        const { parameters = {} } = request;
        const { index_name: indexName, federation_name: federationName } = parameters;
        keys.authorize(call.authority, row, { indexName, federationName });
        const handler: RouteHandler | undefined = handlers[operation as Exclude<typeof operation, "callMcp">];
        if (handler === undefined) throw new TypeError(`no tool calls ${operation}`);
        return dataOf(await handler(innerCall(call, request)));
      });
      return new WebAnswer(answer);
    },
  };
}

/** Pages of other sites would else use what a browser knows (MCP, *Security Warning* of the transport). */
function requireOrigin({ headers }: RouteCall, origins: readonly string[]): void {
  const { origin } = headers;
  if (origin === undefined || origins.includes("*") || origins.includes(origin)) return;
  throw new FindlingError(
    "origin_not_allowed",
    "pages of this origin may not call this server; add it to FINDLING_CORS_ORIGINS",
  );
}

function innerCall(call: RouteCall, { parameters = {}, body }: ApiRequest): RouteCall {
  const { authority, client, caller, isLocal, headers } = call;
  return { authority, client, caller, isLocal, headers, parameters, query: {}, body };
}

/** Both that the protocol has: what clients must say that they take, and those mean that take anything. */
const BOTH_TYPES = "application/json, text/event-stream";

/** With the headers that the protocol looks at, whatever path it came by; the body goes beside it. */
function webRequest({ headers, caller }: RouteCall): Request {
  const left = new AbortController();
  caller.whenGone(() => left.abort());
  const { accept = "*/*" } = headers;
  const sent = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" && name.startsWith("mcp-") ? [[name, value] as [string, string]] : [],
  );
  return new Request("http://findling/mcp", {
    method: "POST",
    headers: [
      ...sent,
      ["accept", accept.includes("*/*") ? BOTH_TYPES : accept],
      ["content-type", "application/json"],
    ],
    signal: left.signal,
  });
}

function dataOf(answer: Awaited<ReturnType<RouteHandler>>): unknown {
  if (answer instanceof JsonText) return readJson(answer.text);
  if (!(answer instanceof WrittenAnswer)) return answer;
  const { data } = readJson(successAnswer(answer, false).toString()) as { readonly data: unknown };
  return data;
}
