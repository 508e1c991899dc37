import { bytesOfJson, textOfJson } from "../../contract/document-json.js";
import { documentVersion } from "../../contract/document-version.js";
import type { IndexSchema } from "../../contract/index-schema.js";
import { pickJsonMembers } from "../../contract/json-members.js";
import { hasPaths, nestedJson } from "../../contract/nested-fields.js";
import type { SearchHit, SearchRequest } from "../../contract/search.js";
import type { SearchExtensions } from "../../contract/search-extensions.js";
import type { BackendHit } from "../../ports/search-backend.js";
import { withShapes } from "../../query/hit-parts.js";
import type { SearchPage } from "./search-page.js";

/** What a request says of hits that isn't done yet where they are found. */
export type ShownParts = Pick<SearchExtensions, "version" | "fields">;

/** What hits show of their index. */
export type ShownSchema = Pick<IndexSchema, "name" | "fields">;

const NONE: ShownParts = {};

/** A hit as answers show it: objects within objects, and as `flatHit`. */
export function shownHit(hit: BackendHit, schema: ShownSchema, extensions: ShownParts = NONE): SearchHit {
  const flat = flatHit(hit, schema, extensions);
  if (!hasPaths(schema.fields)) return flat;
  return { ...flat, docJson: bytesOfJson(nestedJson(textOfJson(flat.docJson), schema.fields)) };
}

/** A hit with its version, which is that of the whole document, where the request asks for it. */
export function flatHit(
  { docJson, documentId, score, highlightsJson, explanationJson }: BackendHit,
  schema: ShownSchema,
  { version, fields }: ShownParts = NONE,
): SearchHit {
  const hit = { docJson, document_id: documentId, score, source_index: schema.name };
  if (highlightsJson === undefined && explanationJson === undefined && version !== true) return hit;
  const picked = version === true ? withShapes(fields, schema) : undefined;
  return {
    ...hit,
    ...(picked === undefined
      ? {}
      : { docJson: bytesOfJson(pickJsonMembers(textOfJson(docJson), new Set(picked))) }),
    ...(version === true ? { version: documentVersion(documentId, docJson) } : {}),
    ...(highlightsJson === undefined ? {} : { highlightsJson }),
    ...(explanationJson === undefined ? {} : { explanationJson }),
  };
}

/** The page, with what its request named in vain. */
export function withIgnored(
  page: SearchPage,
  { ignoredMembers }: Pick<SearchRequest, "ignoredMembers">,
): SearchPage {
  return ignoredMembers === undefined ? page : { ...page, ignored_members: ignoredMembers };
}

/** Those of a request, plain data. */
export function shownPartsOf({ version, fields }: SearchExtensions): ShownParts {
  return { ...(version === undefined ? {} : { version }), ...(fields === undefined ? {} : { fields }) };
}

/** Plain data, and nothing that is secret. */
export function shownSchemaOf({ name, fields }: IndexSchema): ShownSchema {
  return { name, fields };
}
