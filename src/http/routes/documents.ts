import { parseChangesQuery, parseDocumentQuery } from "../../contract/document-bodies.js";
import type { DocumentService } from "../../services/documents/document-service.js";
import { documentAnswer } from "../answers/document-answer.js";
import { type HandlersOf, parameter } from "./route-handler.js";

export function documentRoutes(documents: DocumentService): HandlersOf<"Documents"> {
  return {
    addDocuments: (call) => documents.add(parameter(call, "index_name"), call.body, call.query),
    updateDocuments: (call) =>
      documents.update(parameter(call, "index_name"), call.body, parseChangesQuery(call.query)),
    getDocument: async (call) =>
      documentAnswer(
        await documents.get(parameter(call, "index_name"), parameter(call, "document_id")),
        parseDocumentQuery(call.query),
      ),
    getDocumentByKey: async (call) =>
      documentAnswer(
        await documents.getByKey(parameter(call, "index_name"), parameter(call, "key")),
        parseDocumentQuery(call.query),
      ),
    deleteDocumentByKey: (call) =>
      documents.deleteByKey(parameter(call, "index_name"), parameter(call, "key")),
    deleteDocumentsByField: (call) => documents.deleteByField(parameter(call, "index_name"), call.body),
    deleteDocumentsByQuery: (call) => documents.deleteByQuery(parameter(call, "index_name"), call.body),
    deleteAllDocuments: (call) => documents.deleteAll(parameter(call, "index_name")),
    deleteDocument: (call) =>
      documents.deleteDocument(parameter(call, "index_name"), parameter(call, "document_id")),
  };
}

export function transactionRoutes(documents: DocumentService): HandlersOf<"Transactions"> {
  return {
    commitIndex: (call) => documents.commit(parameter(call, "index_name")),
    rollbackIndex: (call) => documents.rollback(parameter(call, "index_name")),
  };
}
