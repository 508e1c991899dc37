import Type from "typebox";
import type { Tool } from "../tool.js";

const DOCUMENTS_MAX = 100;

const index = Type.String({ description: "Name of an index." });
const commit = Type.Optional(
  Type.Boolean({
    default: true,
    description: "Whether the change is to be found at once; else after a commit.",
  }),
);

export const ADD_DOCUMENTS_TOOL: Tool = {
  name: "add_documents",
  title: "Add documents",
  description: "Adds documents to an index; `describe_index` shows how they look there.",
  writes: true,
  input: Type.Object(
    {
      index,
      documents: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
        minItems: 1,
        maxItems: DOCUMENTS_MAX,
      }),
      commit,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ document_ids: Type.Array(Type.Unknown()), committed: Type.Boolean() }),

  async run({ index: name, documents, commit: isCommitted = true }, call) {
    const parameters = { index_name: String(name) };
    const { ids } = (await call("addDocuments", { parameters, body: documents })) as {
      readonly ids: unknown[];
    };
    if (isCommitted === true) await call("commitIndex", { parameters });
    return { document_ids: ids, committed: isCommitted };
  },
};

export const DELETE_DOCUMENT_TOOL: Tool = {
  name: "delete_document",
  title: "Delete a document",
  description: "Deletes one document of an index, by the `document_id` of a hit.",
  writes: true,
  input: Type.Object(
    { index, document_id: Type.String({ description: "As hits show it." }), commit },
    { additionalProperties: false },
  ),
  output: Type.Object({ committed: Type.Boolean() }),

  async run({ index: name, document_id: documentId, commit: isCommitted = true }, call) {
    const parameters = { index_name: String(name) };
    await call("deleteDocument", { parameters: { ...parameters, document_id: String(documentId) } });
    if (isCommitted === true) await call("commitIndex", { parameters });
    return { committed: isCommitted };
  },
};
