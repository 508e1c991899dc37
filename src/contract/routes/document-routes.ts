import {
  deleteByFieldBodySchema,
  documentsAddedSchema,
  documentsBodySchema,
  documentsRemovedSchema,
  documentViewSchema,
} from "../document-bodies.js";
import { deleteByQueryBodySchema } from "../search-bodies.js";
import type { RouteRow } from "./route-row.js";
import { INGEST, ON_INDEX, QUERY_ERRORS } from "./route-rules.js";

const ON_DOCUMENTS = { ...ON_INDEX, tag: "Documents", access: INGEST, bodyLimit: "documents" } as const;

export const DOCUMENT_ROUTES: readonly RouteRow[] = [
  {
    ...ON_DOCUMENTS,
    operationId: "addDocuments",
    method: "POST",
    path: "/index/:index_name/documents",
    summary: "Adds documents; pending until commit",
    body: documentsBodySchema,
    answer: documentsAddedSchema,
    errors: ["index_not_found", "invalid_document"],
  },
  {
    ...ON_DOCUMENTS,
    operationId: "getDocument",
    method: "GET",
    path: "/index/:index_name/documents/:document_id",
    summary: "Reads one committed document by its internal id",
    answer: documentViewSchema,
    mirrored: true,
    errors: ["index_not_found", "document_not_found"],
  },
  {
    ...ON_DOCUMENTS,
    operationId: "getDocumentByKey",
    method: "GET",
    path: "/index/:index_name/documents/by-key/:key",
    summary: "Reads one committed document by its primary key",
    answer: documentViewSchema,
    mirrored: true,
    errors: ["index_not_found", "document_not_found", "invalid_field_value"],
  },
  {
    ...ON_DOCUMENTS,
    operationId: "deleteDocumentByKey",
    method: "DELETE",
    path: "/index/:index_name/documents/by-key/:key",
    summary: "Deletes one document by its primary key; pending until commit",
    answer: documentsRemovedSchema,
    errors: ["index_not_found", "document_not_found", "invalid_field_value"],
  },
  {
    ...ON_DOCUMENTS,
    operationId: "deleteDocumentsByField",
    method: "DELETE",
    path: "/index/:index_name/documents",
    summary: "Deletes the documents with a value in a field; pending until commit",
    body: deleteByFieldBodySchema,
    answer: documentsRemovedSchema,
    errors: [
      "index_not_found",
      "unknown_field",
      "field_not_indexed",
      "invalid_field_value",
      "search_timeout",
    ],
  },
  {
    ...ON_DOCUMENTS,
    operationId: "deleteDocumentsByQuery",
    method: "DELETE",
    path: "/index/:index_name/documents/query",
    summary: "Deletes the documents that match a query; pending until commit",
    body: deleteByQueryBodySchema,
    answer: documentsRemovedSchema,
    errors: ["index_not_found", ...QUERY_ERRORS, "search_timeout"],
  },
  {
    ...ON_DOCUMENTS,
    operationId: "deleteAllDocuments",
    method: "DELETE",
    path: "/index/:index_name/documents/all",
    summary: "Deletes every document and keeps the index; pending until commit",
    answer: documentsRemovedSchema,
  },
  {
    ...ON_DOCUMENTS,
    operationId: "deleteDocument",
    method: "DELETE",
    path: "/index/:index_name/documents/:document_id",
    summary: "Deletes one document by its internal id; pending until commit",
    answer: documentsRemovedSchema,
    errors: ["index_not_found", "document_not_found"],
  },
];
