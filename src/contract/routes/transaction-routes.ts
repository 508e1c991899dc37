import { sentenceAnswer } from "../envelope.js";
import type { RouteRow } from "./route-row.js";
import { INGEST, ON_INDEX } from "./route-rules.js";

export const TRANSACTION_ROUTES: readonly RouteRow[] = [
  {
    ...ON_INDEX,
    operationId: "commitIndex",
    method: "POST",
    path: "/index/:index_name/commit",
    tag: "Transactions",
    summary: "Makes all pending writes durable and visible",
    access: INGEST,
    answer: sentenceAnswer("commit complete"),
  },
  {
    ...ON_INDEX,
    operationId: "rollbackIndex",
    method: "POST",
    path: "/index/:index_name/rollback",
    tag: "Transactions",
    summary: "Drops all pending writes",
    access: INGEST,
    answer: sentenceAnswer("rollback complete"),
  },
];
