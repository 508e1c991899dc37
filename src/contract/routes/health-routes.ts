import Type from "typebox";
import { PERMISSION } from "../access-key.js";
import { sentenceAnswer } from "../envelope.js";
import type { RouteRow } from "./route-row.js";
import { PLAIN, permission } from "./route-rules.js";

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
  {
    ...PLAIN,
    operationId: "checkLiveness",
    method: "GET",
    path: "/livez",
    tag: "Health",
    summary:
      "Extension: says that the process answers, for orchestrators; one that doesn't should be started anew",
    access: { kind: "public" },
    answer: sentenceAnswer("service is alive"),
  },
  {
    ...PLAIN,
    operationId: "checkReadiness",
    method: "GET",
    path: "/readyz",
    tag: "Health",
    summary:
      "Extension: says that requests are taken, for load balancers; 503 `shutting_down` once a stop has begun, `storage_unavailable` while the OpenSearch cluster can't be reached",
    access: { kind: "public" },
    answer: sentenceAnswer("service is ready"),
  },
  {
    ...PLAIN,
    operationId: "getMetrics",
    method: "GET",
    path: "/metrics",
    tag: "Health",
    summary:
      "Extension: figures for monitoring, in Prometheus' text format, for keys whose scope is every index",
    access: permission(PERMISSION.ADMIN),
    scope: "everything",
    answer: Type.String({
      description: "Requests, searches, documents, calls of language models and their tokens, the process.",
    }),
    answerType: "text/plain; version=0.0.4",
  },
];
