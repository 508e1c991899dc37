import { anyOf, type Dsl } from "./dsl.js";

/**
 * A document that is changed keeps its id, while its states before and after are two documents of the cluster until the
 * change is committed and the former purged: the first bears the id itself, later ones it with a mark and a number.
 */
const MARK = "~";

/** The cluster's id of a later state. @param seq a number that no other state has */
export function revisionId(documentId: string, seq: number): string {
  return `${documentId}${MARK}${seq.toString(36)}`;
}

/** The document of which the cluster has a state by this id. */
export function documentIdOf(clusterId: string): string {
  const mark = clusterId.indexOf(MARK);
  return mark < 0 ? clusterId : clusterId.slice(0, mark);
}

/** What a later state says of its document (`DocumentLife`). */
export function revisionOf(clusterId: string): { readonly of?: string } {
  const of = documentIdOf(clusterId);
  return of === clusterId ? {} : { of };
}

/** The states of documents with these ids. */
export function withDocumentIds(documentIds: readonly string[]): Dsl {
  const values = documentIds.filter((id) => id !== "" && !id.includes(MARK));
  return anyOf([{ ids: { values } }, { terms: { of: values } }]);
}
