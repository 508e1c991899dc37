import { sentenceAnswer } from "../envelope.js";
import type { RouteRow } from "./route-row.js";
import { PLAIN } from "./route-rules.js";

export const HEALTH_ROUTES: readonly RouteRow[] = [
  {
    ...PLAIN,
    operationId: "checkHealth",
    method: "GET",
    path: "/healthcheck",
    tag: "Health",
    summary: "Says that the service is up",
    access: { kind: "public" },
    answer: sentenceAnswer("service is healthy"),
  },
];
