import type { ConditionalClause, QueryAst } from "../../query/query-ast.js";
import type { SearchPlan } from "../../query/search-plan.js";
import { type FuzzyAst, type IndexContents, occurs, type SearchedCollection } from "./lower-query.js";

interface Member {
  readonly contents: IndexContents;
  readonly plan: SearchPlan | null;
}

/**
 * What the members of a federated search hold together, each word looked for as each member's own
 * query does: with its analysis, in its search fields. Members that are left out have no say.
 */
export class FederatedWords implements SearchedCollection {
  /** By word: where to look whether it occurs. */
  readonly #clauses: Map<string, { readonly clause: ConditionalClause; readonly contents: IndexContents }[]> =
    new Map();
  readonly #presence: Map<string, boolean> = new Map();
  /** By typo-tolerant word: all fields that it is looked for in. */
  readonly #fields: Map<string, Set<string>> = new Map();

  boosts: { readonly sum: number; readonly greatest: number } | null = null;

  constructor(members: readonly Member[]) {
    for (const { contents, plan } of members) {
      if (plan === null) continue;
      this.#gather(plan.ast, contents);
      for (const { ast } of plan.multiSelectFacets ?? []) this.#gather(ast, contents);
    }
  }

  holds({ word }: ConditionalClause): boolean {
    let isPresent = this.#presence.get(word);
    if (isPresent === undefined) {
      isPresent = (this.#clauses.get(word) ?? []).some(({ clause, contents }) =>
        occurs(clause.ast, contents),
      );
      this.#presence.set(word, isPresent);
    }
    return isPresent;
  }

  fieldsOfWord(word: FuzzyAst): readonly string[] | null {
    const fields = this.#fields.get(keyOf(word));
    return fields === undefined || fields.size === word.fields.length ? null : [...fields];
  }

  #weigh({ fields }: FuzzyAst): void {
    let sum = 0;
    for (const { boost } of fields) sum += boost;
    const greatest = fields.reduce((most, { boost }) => Math.max(most, boost), 0);
    this.boosts = {
      sum: heavier(this.boosts?.sum, sum),
      greatest: heavier(this.boosts?.greatest, greatest),
    };
  }

  #gather(ast: QueryAst, contents: IndexContents): void {
    switch (ast.kind) {
      case "boolean":
        for (const clause of ast.clauses) {
          if (clause.occur === "must_if_present") addTo(this.#clauses, clause.word, { clause, contents });
          this.#gather(clause.ast, contents);
        }
        return;
      case "words":
        for (const reading of ast.readings) this.#gather(reading.ast, contents);
        return;
      case "synonyms":
      case "boost":
      case "constant_score":
        this.#gather(ast.ast, contents);
        return;
      case "fuzzy": {
        const key = keyOf(ast);
        let fields = this.#fields.get(key);
        if (fields === undefined) this.#fields.set(key, (fields = new Set()));
        for (const { field } of ast.fields) fields.add(field);
        this.#weigh(ast);
        return;
      }
      default:
        return;
    }
  }
}

function heavier(a: number | undefined, b: number): number {
  return Math.max(a ?? 0, b);
}

function keyOf({ term, maxDistance, begun }: FuzzyAst): string {
  return begun === undefined
    ? `${maxDistance} ${term}`
    : `${maxDistance} ${term} ${begun.maxDistance} ${begun.prefix}`;
}

function addTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
