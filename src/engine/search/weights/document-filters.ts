import { AllDocumentsEvaluator, DocListEvaluator } from "../evaluators/document-evaluators.js";
import type { DocumentIdsQuery } from "../query.js";
import { FilterWeight } from "./filter-weight.js";
import type { Weight } from "./weight.js";

export function matchAllWeight(): Weight {
  return new FilterWeight("all documents", ({ segment }) => new AllDocumentsEvaluator(segment.maxDoc));
}

export function matchNoneWeight(): Weight {
  return new FilterWeight("no document", () => null);
}

export function documentIdsWeight(query: DocumentIdsQuery): Weight {
  return new FilterWeight(`document id is one of ${query.ids.length}`, ({ segment }) => {
    const docIds = new Set<number>();
    for (const id of query.ids) {
      const docId = segment.docIdOf(id);
      if (docId >= 0) docIds.add(docId);
    }
    return docIds.size === 0 ? null : new DocListEvaluator(Uint32Array.from(docIds).sort());
  });
}
