import { ADMIN_ROUTES } from "./routes/admin-routes.js";
import { ALIAS_ROUTES } from "./routes/alias-routes.js";
import { BACKUP_ROUTES } from "./routes/backup-routes.js";
import { DICTIONARY_ROUTES } from "./routes/dictionary-routes.js";
import { DOCUMENT_ROUTES } from "./routes/document-routes.js";
import { FEDERATION_ROUTES } from "./routes/federation-routes.js";
import { HEALTH_ROUTES } from "./routes/health-routes.js";
import { INDEX_ROUTES } from "./routes/index-routes.js";
import { KEY_ROUTES } from "./routes/key-routes.js";
import { MCP_ROUTES } from "./routes/mcp-routes.js";
import { MEASURE_ROUTES } from "./routes/measure-routes.js";
import type { RouteRow } from "./routes/route-row.js";
import { SEARCH_ROUTES } from "./routes/search-routes.js";
import { SUMMARY_ROUTES } from "./routes/summary-routes.js";
import { TRANSACTION_ROUTES } from "./routes/transaction-routes.js";

export type { OperationId, RouteRow, RouteTag, TaggedOperations } from "./routes/route-row.js";

/** Every route there is: the server registers these and no others, documents them, and tests them. */
export const ROUTE_TABLE: readonly RouteRow[] = [
  ...HEALTH_ROUTES,
  ...INDEX_ROUTES,
  ...ALIAS_ROUTES,
  ...DOCUMENT_ROUTES,
  ...SEARCH_ROUTES,
  ...SUMMARY_ROUTES,
  ...DICTIONARY_ROUTES,
  ...TRANSACTION_ROUTES,
  ...FEDERATION_ROUTES,
  ...MEASURE_ROUTES,
  ...KEY_ROUTES,
  ...ADMIN_ROUTES,
  ...BACKUP_ROUTES,
  ...MCP_ROUTES,
];
