import Type from "typebox";
import { FindlingError } from "../../errors/index.js";
import type { ApiCall } from "../api-call.js";
import { cutDocument } from "../cut-document.js";
import { DOCUMENTS_ARE_DATA, quoted, type Tool } from "../tool.js";

/** Characters of one value. */
const LENGTH_DEFAULT = 20_000;
const LENGTH_MAX = 100_000;

interface FoundDocument {
  readonly doc: Readonly<Record<string, unknown>>;
  readonly document_id: string;
}

export const GET_DOCUMENT_TOOL: Tool = {
  name: "get_document",
  title: "Get a document",
  description: "Shows one document of an index, by its own `id` or by the `document_id` of a hit.",
  writes: false,
  input: Type.Object(
    {
      index: Type.String({ description: "Name of an index." }),
      id: Type.String({ description: "The document's `id`, or a hit's `document_id`." }),
      max_characters: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: LENGTH_MAX,
          default: LENGTH_DEFAULT,
          description: "Of each value; longer ones are cut, and `cut` says how long they are.",
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    notice: Type.String(),
    citation: Type.String(),
    document_id: Type.String(),
    document: Type.Record(Type.String(), Type.Unknown()),
    cut: Type.Optional(Type.Record(Type.String(), Type.Integer())),
  }),

  async run({ index, id, max_characters: lengthMax = LENGTH_DEFAULT }, call) {
    const { doc, document_id: documentId } = await documentOf(String(index), String(id), call);
    return {
      notice: DOCUMENTS_ARE_DATA,
      citation: `${String(index)}/${documentId}`,
      document_id: documentId,
      ...cutDocument(doc, Number(lengthMax)),
    };
  },
};

/** By its own id with what searching needs, as keys that may search needn't be let near documents otherwise. */
async function documentOf(index: string, id: string, call: ApiCall): Promise<FoundDocument> {
  const parameters = { index_name: index };
  const body = { query: { exact: { ctx: `id:${quoted(id)}` } }, limit: 1, facets: false };
  const answer = (await call("searchIndex", { parameters, body })) as {
    readonly hits: readonly FoundDocument[];
  };
  const [found] = answer.hits;
  if (found !== undefined) return found;
  try {
    return (await call("getDocument", { parameters: { ...parameters, document_id: id } })) as FoundDocument;
  } catch (error) {
    if (!(error instanceof FindlingError) || error.code !== "insufficient_permissions") throw error;
    throw new FindlingError(
      "document_not_found",
      `no document of '${index}' has the id '${id}'; to read by 'document_id' the access key needs permission 2`,
    );
  }
}
