import Type from "typebox";
import type { RouteRow } from "./route-row.js";
import { PLAIN } from "./route-rules.js";

export const MCP_ROUTES: readonly RouteRow[] = [
  {
    ...PLAIN,
    operationId: "callMcp",
    method: "POST",
    path: "/mcp",
    tag: "MCP",
    summary:
      "Extension: the Model Context Protocol (2026-07-28, 2025-11-25), without sessions; its tools may do what the key may",
    access: { kind: "any_key", evenIfOff: false },
    body: Type.Unknown({
      description: "A message of JSON-RPC 2.0.",
      examples: [{ jsonrpc: "2.0", id: 1, method: "tools/list" }],
    }),
    answer: Type.Unknown({ description: "The message that answers it, outside the envelope." }),
    answerType: "application/json; text/event-stream",
    errors: ["not_found", "origin_not_allowed"],
  },
];
