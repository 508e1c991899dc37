import {
  AllDocumentsEvaluator,
  DocListEvaluator,
  NumberRangeEvaluator,
} from "../evaluators/document-evaluators.js";
import type { Evaluator } from "../evaluators/evaluator.js";
import type { SegmentContext } from "../plan/matcher.js";
import { constantPlan, type QueryPlan } from "../plan/query-plan.js";
import type { Explanation } from "../search-types.js";
import { eachMatch } from "./explain-matches.js";
import { Weight } from "./weight.js";

/** A node that only decides; each match scores 1 (contract 5.7). */
export abstract class FilterWeight extends Weight {
  readonly #description: string;

  constructor(description: string) {
    super();
    this.#description = description;
  }

  override plan(): QueryPlan {
    return constantPlan(1, [this]);
  }

  explain(context: SegmentContext, docIds: Uint32Array): (Explanation | null)[] {
    const description = `${this.#description}: constant`;
    return eachMatch(this.evaluator(context), docIds, context.pool, (score) => ({
      value: score,
      description,
      details: [],
    }));
  }
}

export class AllDocumentsWeight extends FilterWeight {
  constructor() {
    super("all documents");
  }

  override plan(): QueryPlan {
    return constantPlan(1, []);
  }

  evaluator({ segment }: SegmentContext): Evaluator {
    return new AllDocumentsEvaluator(segment.maxDoc);
  }
}

export class NoDocumentWeight extends FilterWeight {
  constructor() {
    super("no document");
  }

  evaluator(): null {
    return null;
  }
}

export class DocumentIdsWeight extends FilterWeight {
  readonly #ids: readonly string[];

  constructor(ids: readonly string[]) {
    super(`document id is one of ${ids.length}`);
    this.#ids = ids;
  }

  evaluator({ segment }: SegmentContext): Evaluator | null {
    const docIds = new Set<number>();
    for (const id of this.#ids) {
      const docId = segment.docIdOf(id);
      if (docId >= 0) docIds.add(docId);
    }
    return docIds.size === 0 ? null : new DocListEvaluator(Uint32Array.from(docIds).sort());
  }
}

/** Documents with at least one token in a text field. */
export class TokensExistWeight extends FilterWeight {
  readonly #field: string;

  constructor(field: string) {
    super(`field '${field}' has a value`);
    this.#field = field;
  }

  evaluator({ segment }: SegmentContext): Evaluator | null {
    const norms = segment.terms(this.#field)?.norms;
    if (norms === undefined) return null;
    return new NumberRangeEvaluator(norms, { first: 1, end: 256 }, segment.maxDoc, segment.maxDoc);
  }
}
