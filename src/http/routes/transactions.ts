import type { DocumentService } from "../../services/documents/document-service.js";
import { parameter, type RouteHandlers } from "../route-handler.js";

export function transactionRoutes(
  documents: DocumentService,
): Pick<RouteHandlers, "commitIndex" | "rollbackIndex"> {
  return {
    commitIndex: (call) => documents.commit(parameter(call, "index_name")),
    rollbackIndex: (call) => documents.rollback(parameter(call, "index_name")),
  };
}
