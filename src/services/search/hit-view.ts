import { bytesOfJson, parsedDocument, textOfJson } from "../../contract/document-json.js";
import type { IndexSchema } from "../../contract/index-schema.js";
import type { SearchHit } from "../../contract/search.js";
import type { SearchExtensions } from "../../contract/search-extensions.js";
import { FindlingError } from "../../errors/index.js";
import type { BackendHit } from "../../ports/search-backend.js";
import { Highlighter } from "../../query/highlight/highlighter.js";
import { unknownField } from "../../query/queried-field.js";
import type { QueryAst } from "../../query/query-ast.js";
import type { SearchedIndex } from "../../query/searched-index.js";
import { pickJsonMembers } from "./json-members.js";

/** How one index's hits are shown: what the request says of fields, highlighting and explanations. */
export class HitView {
  readonly #sourceIndex: string;
  readonly #fields: ReadonlySet<string> | null;
  readonly #highlighter: Highlighter | null;

  constructor(extensions: SearchExtensions, index: SearchedIndex, ast: QueryAst) {
    const { highlight, fields } = extensions;
    this.#sourceIndex = index.schema.name;
    this.#fields = fields === undefined ? null : new Set(fields);
    this.#highlighter =
      highlight === undefined
        ? null
        : new Highlighter(ast, index.analyzer, {
            ...highlight,
            fields: (highlight.fields ?? index.schema.search_fields).filter((name) =>
              isHighlightable(index.schema, name),
            ),
          });
  }

  show({ docJson, documentId, score, explanationJson }: BackendHit): SearchHit {
    const hit: SearchHit = {
      docJson:
        this.#fields === null ? docJson : bytesOfJson(pickJsonMembers(textOfJson(docJson), this.#fields)),
      document_id: documentId,
      score,
      source_index: this.#sourceIndex,
    };
    if (this.#highlighter === null && explanationJson === undefined) return hit;
    return {
      ...hit,
      ...(this.#highlighter === null
        ? {}
        : { highlights: this.#highlighter.highlight(parsedDocument(docJson)) }),
      ...(explanationJson === undefined ? {} : { explanationJson }),
    };
  }
}

/**
 * Refuses names that the index doesn't have. Not asked in a federation, where each index shows what it has.
 *
 * @throws FindlingError `unknown_field`, `invalid_request`
 */
export function requireExtensionFields(extensions: SearchExtensions, schema: IndexSchema): void {
  const { highlight, fields, facets } = extensions;
  for (const name of fields ?? []) requireField(schema, name, "fields");
  for (const name of highlight?.fields ?? []) {
    requireField(schema, name, "highlight.fields");
    if (isHighlightable(schema, name)) continue;
    throw new FindlingError("invalid_request", `'highlight.fields': '${name}' is not a stored text field`);
  }
  for (const name of facets?.keys() ?? []) {
    requireField(schema, name, "facets");
    if (schema.fields[name]!.type === "facet") continue;
    throw new FindlingError("invalid_request", `'facets': '${name}' is not a facet field`);
  }
}

function requireField(schema: IndexSchema, name: string, place: string): void {
  if (Object.hasOwn(schema.fields, name)) return;
  throw new FindlingError("unknown_field", `'${place}': ${unknownField(schema, name)}`);
}

/** Identifiers are matched as a whole, so there is nothing in them to mark. */
function isHighlightable(schema: IndexSchema, name: string): boolean {
  const definition = Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined;
  return definition?.type === "text" && name !== "id" && definition.stored !== false;
}
