import type { DocumentTarget, Index } from "../../../engine/server-door.js";
import type { ChangeOptions, DocumentChange, DocumentsChanged } from "../../../ports/document-change.js";
import {
  type ChangedDocument,
  changesMade,
  DocumentChanges,
  distinctDocuments,
} from "../document-changes.js";

/** Changes documents in the turn of one write, all or none. */
export async function changeDocuments(
  index: Index,
  changes: readonly DocumentChange[],
  options: ChangeOptions,
): Promise<DocumentsChanged> {
  const { key } = options;
  const targets = changes.map(
    ({ target }): DocumentTarget => ("id" in target ? target : { field: key ?? "", value: target.key }),
  );
  let outcome: DocumentsChanged | null = null;
  const places: (readonly ChangedDocument[])[] = [];
  const ids = await index.rewriteDocuments(targets, (found) => {
    const changed = new DocumentChanges(index.schema, options).made(changes, found);
    if (Array.isArray(changed)) {
      places.push(changed);
      return distinctDocuments(changed).map(({ id, document }) => ({ id, document }));
    }
    outcome = changed as DocumentsChanged;
    return [];
  });
  if (outcome !== null) return outcome;
  const [made = []] = places;
  return changesMade(made, ids);
}
