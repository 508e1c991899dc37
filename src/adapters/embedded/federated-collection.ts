import { FederatedWords } from "../../query/federated-words.js";
import type { ConditionalClause, FuzzyAst } from "../../query/query-ast.js";
import type { SearchPlan } from "../../query/search-plan.js";
import { type IndexContents, occurs, type SearchedCollection } from "./lower-query.js";

/** What the members of a federated search hold together. Members that are left out have no say. */
export class FederatedCollection implements SearchedCollection {
  readonly #words: FederatedWords<IndexContents>;
  readonly #presence: Map<string, boolean> = new Map();

  constructor(members: readonly { readonly member: IndexContents; readonly plan: SearchPlan | null }[]) {
    this.#words = new FederatedWords(members);
  }

  get boosts(): { readonly sum: number; readonly greatest: number } | null {
    return this.#words.boosts;
  }

  holds({ word }: ConditionalClause): boolean {
    let isPresent = this.#presence.get(word);
    if (isPresent === undefined) {
      isPresent = this.#words.clausesFor(word).some(({ clause, member }) => occurs(clause.ast, member));
      this.#presence.set(word, isPresent);
    }
    return isPresent;
  }

  fieldsOfWord(word: FuzzyAst): readonly string[] | null {
    const fields = this.#words.fieldsOf(word);
    return fields.length === word.fields.length ? null : fields;
  }
}
