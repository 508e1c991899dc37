import { bytesOfJson, textOfJson } from "../../contract/document-json.js";
import { documentVersion } from "../../contract/document-version.js";
import { pickJsonMembers } from "../../contract/json-members.js";
import type { SearchHit, SearchRequest } from "../../contract/search.js";
import type { SearchExtensions } from "../../contract/search-extensions.js";
import type { BackendHit } from "../../ports/search-backend.js";
import type { SearchPage } from "./cursor-store.js";

const NONE: Pick<SearchExtensions, "version" | "fields"> = {};

/** A hit as answers show it: with its version, which is that of the whole document, where the request asks for it. */
export function shownHit(
  { docJson, documentId, score, highlightsJson, explanationJson }: BackendHit,
  indexName: string,
  { version, fields }: Pick<SearchExtensions, "version" | "fields"> = NONE,
): SearchHit {
  const hit = { docJson, document_id: documentId, score, source_index: indexName };
  if (highlightsJson === undefined && explanationJson === undefined && version !== true) return hit;
  return {
    ...hit,
    ...(version === true && fields !== undefined
      ? { docJson: bytesOfJson(pickJsonMembers(textOfJson(docJson), new Set(fields))) }
      : {}),
    ...(version === true ? { version: documentVersion(documentId, docJson) } : {}),
    ...(highlightsJson === undefined ? {} : { highlightsJson }),
    ...(explanationJson === undefined ? {} : { explanationJson }),
  };
}

/** The page, with what its request named in vain. */
export function withIgnored(page: SearchPage, { ignoredMembers }: SearchRequest): SearchPage {
  return ignoredMembers === undefined ? page : { ...page, ignored_members: ignoredMembers };
}
