import type { ConditionalClause, FuzzyAst, QueryAst } from "./query-ast.js";
import type { SearchPlan } from "./search-plan.js";

/**
 * What the plans of a search over several indexes ask for together: a word of a conditional clause is there if any
 * member's own clause for it matches, and a typo-tolerant word's statistics are those of all fields of all members.
 */
export class FederatedWords<Member> {
  readonly #clauses = new Map<string, { readonly clause: ConditionalClause; readonly member: Member }[]>();
  readonly #fields = new Map<string, Set<string>>();
  #boosts: { readonly sum: number; readonly greatest: number } | null = null;

  /** Members without a plan have no say. */
  constructor(members: readonly { readonly member: Member; readonly plan: SearchPlan | null }[]) {
    for (const { member, plan } of members) {
      if (plan === null) continue;
      this.#gather(plan.ast, member);
      for (const { ast } of plan.multiSelectFacets ?? []) this.#gather(ast, member);
    }
  }

  /** Where to look whether a word occurs. */
  clausesFor(word: string): readonly { readonly clause: ConditionalClause; readonly member: Member }[] {
    return this.#clauses.get(word) ?? [];
  }

  fieldsOf(word: FuzzyAst): readonly string[] {
    return [...(this.#fields.get(keyOf(word)) ?? word.fields.map(({ field }) => field))];
  }

  /** The weights of the fields of the heaviest member; null where there is no typo-tolerant word. */
  get boosts(): { readonly sum: number; readonly greatest: number } | null {
    return this.#boosts;
  }

  #weigh({ fields }: FuzzyAst): void {
    const boosts = fields.map(({ boost }) => boost);
    this.#boosts = {
      sum: Math.max(
        this.#boosts?.sum ?? 0,
        boosts.reduce((sum, boost) => sum + boost, 0),
      ),
      greatest: Math.max(this.#boosts?.greatest ?? 0, ...boosts),
    };
  }

  #gather(ast: QueryAst, member: Member): void {
    switch (ast.kind) {
      case "boolean":
        for (const clause of ast.clauses) {
          if (clause.occur === "must_if_present") {
            const known = this.#clauses.get(clause.word);
            if (known === undefined) this.#clauses.set(clause.word, [{ clause, member }]);
            else known.push({ clause, member });
          }
          this.#gather(clause.ast, member);
        }
        return;
      case "words":
        for (const reading of ast.readings) this.#gather(reading.ast, member);
        return;
      case "synonyms":
      case "boost":
      case "constant_score":
        this.#gather(ast.ast, member);
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

function keyOf({ term, maxDistance, begun }: FuzzyAst): string {
  return begun === undefined
    ? `${maxDistance} ${term}`
    : `${maxDistance} ${term} ${begun.maxDistance} ${begun.prefix}`;
}
