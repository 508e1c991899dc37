import type { CanonicalValue } from "../../contract/canonical-value.js";
import { type EngineField, type EngineSchema, rangeBound } from "../../engine/server-door.js";
import { FindlingError } from "../../errors/index.js";
import type { AstBound, ConditionalClause, FuzzyAst, QueryAst } from "../../query/query-ast.js";
import { beginningWith } from "./beginning-with.js";
import type { Collection } from "./collection.js";
import { withDocumentIds } from "./document-revisions.js";
import {
  anyOf,
  bestOf,
  boosted,
  constant,
  type Dsl,
  MATCH_ALL,
  MATCH_NONE,
  scripted,
  withoutRepeats,
} from "./dsl.js";
import {
  type FuzzyFacts,
  fuzzyFacts,
  fuzzyFilter,
  fuzzyPrefixQuery,
  fuzzyQuery,
  inverseDocFreq,
  wordsBeginningWith,
} from "./fuzzy-words.js";
import { partOf } from "./index-mapping.js";
import { OWN_IDF } from "./own-statistics.js";
import { type PhraseTerm, phraseQuery } from "./phrases.js";
import { comparedText, hexadecimal, wholeValue } from "./whole-value.js";
import { WordsLowering } from "./words-in-tiers.js";

/** What lowering a query depends on. */
export interface LoweringContext {
  readonly schema: EngineSchema;
  /** All that is searched together, over which statistics are counted. */
  readonly collection: Collection;
  /** Whether any live document has the clause's word (contract 5.2). */
  holds(clause: ConditionalClause): Promise<boolean>;
  /** All fields of the collection that a typo-tolerant word is looked for in. */
  statisticsFieldsOf(word: FuzzyAst): readonly string[];
  /** Whether the cluster works out the idf of words and phrases by its own statistics. */
  readonly hasOwnStatistics: boolean;
  /** The weights of the fields of a federation's heaviest member; null if they are the query's own. */
  readonly boosts: { readonly sum: number; readonly greatest: number } | null;
}

type SynonymsAst = Extract<QueryAst, { readonly kind: "synonyms" }>;

/** The cluster counts in 32 bits, and refuses what is beyond them. */
const BOOST_MAX = 1e30;
/** Smaller boosts are no part of a term's own, which would be taken for `OWN_IDF`. */
const BOOST_MIN = 1e-6;
/** A boost that adds nothing to any score, and yet has the cluster count. */
const NOTHING = 1e-20;

/** Words that stand at the end of a phrase in place of a prefix, at most. */
const PHRASE_ENDS_MAX = 200;

/**
 * Lowers a query to the cluster's language, scored as the engine scores it: what the cluster has no formula for is put
 * together from constants, boosts that are worked out here, and BM25 without idf (`index-mapping.ts`).
 */
export class QueryLowering {
  readonly #context: LoweringContext;
  readonly #knownFacts = new WeakMap<FuzzyAst, Promise<FuzzyFacts>>();
  readonly #fields: ReadonlyMap<string, EngineField>;

  constructor(context: LoweringContext) {
    this.#context = context;
    this.#fields = new Map(context.schema.fields.map((field) => [field.name, field]));
  }

  /** With scores. @param scale what all boosts around it come to, those below 1 left out; @param least what those do */
  async scored(ast: QueryAst, scale = 1, least = 1): Promise<Dsl> {
    const { collection } = this.#context;
    switch (ast.kind) {
      case "match_all":
        return MATCH_ALL;
      case "term":
        return this.#term(ast);
      case "phrase":
        return this.#phrase(ast);
      case "fuzzy":
        return fuzzyQuery(ast, await this.#facts(ast));
      case "words":
        return this.#words().scored(ast);
      case "fuzzy_prefix":
        return fuzzyPrefixQuery(ast, collection);
      case "synonyms":
        return this.#synonyms(ast);
      case "boolean":
        return this.#boolean(ast, (each) => this.scored(each, scale, least));
      case "boost": {
        const factor = Math.min(ast.factor, BOOST_MAX / scale);
        const within = scale * Math.max(1, factor);
        const below = least * Math.min(1, factor);
        if (below >= BOOST_MIN || factor === 0)
          return boosted(await this.scored(ast.ast, within, below), factor);
        return scripted(await this.scored(ast.ast, within), "params.scale * _score", { scale: factor });
      }
      case "constant_score":
        return constant(await this.filter(ast.ast), ast.score);
      default:
        return constant(await this.filter(ast));
    }
  }

  /** Matches alone, whatever they score. */
  async filter(ast: QueryAst): Promise<Dsl> {
    switch (ast.kind) {
      case "match_all":
        return MATCH_ALL;
      case "match_none":
        return MATCH_NONE;
      case "term":
        return { term: { [partOf("t", ast.field)]: ast.term } };
      case "phrase":
        return this.#phrase(ast);
      case "prefix":
        return ast.prefix === ""
          ? this.#exists(ast.field)
          : beginningWith(partOf("t", ast.field), ast.prefix);
      case "term_range":
        return ast.lower === null && ast.upper === null
          ? this.#exists(ast.field)
          : range(partOf("t", ast.field), ast.lower, ast.upper);
      case "value_set":
        return this.#valueSet(ast.field, ast.values);
      case "value_range":
        return this.#valueRange(ast.field, ast.lower, ast.upper);
      case "value_prefix":
        return ast.prefix === ""
          ? this.#exists(ast.field)
          : { prefix: { [partOf("v", ast.field)]: comparedText(this.#fields.get(ast.field)!, ast.prefix) } };
      case "facet": {
        const field = this.#fields.get(ast.field)!;
        return { terms: { [partOf("f", ast.field)]: ast.paths.map((path) => comparedText(field, path)) } };
      }
      case "exists":
        return this.#exists(ast.field);
      case "fuzzy":
        return fuzzyFilter(ast, ast.rows === undefined ? null : (await this.#facts(ast)).rows);
      case "fuzzy_prefix":
        return fuzzyPrefixQuery(ast, this.#context.collection);
      case "synonyms": {
        const alternatives = ast.alternatives.flatMap(({ terms }) =>
          terms.flatMap((run) => ast.fields.map(({ field }) => phraseQuery(field, run, 0, 1))),
        );
        return anyOf([await this.filter(ast.ast), ...alternatives]);
      }
      case "words":
        return this.#words().filter(ast);
      case "boolean":
        return this.#boolean(ast, (each) => this.filter(each));
      case "boost":
      case "constant_score":
        return this.filter(ast.ast);
      case "document_ids":
        return withDocumentIds(ast.ids);
    }
  }

  #facts(ast: FuzzyAst): Promise<FuzzyFacts> {
    let facts = this.#knownFacts.get(ast);
    if (facts === undefined) {
      facts = fuzzyFacts(ast, this.#context.collection, this.#context.statisticsFieldsOf(ast));
      this.#knownFacts.set(ast, facts);
    }
    return facts;
  }

  #words(): WordsLowering {
    return new WordsLowering({
      collection: this.#context.collection,
      scored: (ast) => this.scored(ast),
      filter: (ast) => this.filter(ast),
      factsOf: (ast) => this.#facts(ast),
      boosts: this.#context.boosts,
      importanceOf: async (ast) => {
        const importance = await this.#importance(ast);
        const all = await Promise.all(ast.alternatives.map(({ key }) => importance(key)));
        return Math.max(0, ...all);
      },
    });
  }

  /** A stem scores a tenth more of what the word itself would where the word is as it was written. */
  async #term({ field, term, written }: Extract<QueryAst, { readonly kind: "term" }>): Promise<Dsl> {
    const { collection } = this.#context;
    const path = partOf("t", field);
    const query: Dsl = { term: { [path]: { value: term, boost: await this.#idf(field, [term]) } } };
    if (written === undefined) return query;
    const [own, ofStem] = await Promise.all([
      collection.docFreq(field, written),
      collection.docFreq(field, term),
    ]);
    if (own === ofStem) return query;
    const boost = 0.1 * (await this.#idf(field, [written]));
    return { bool: { must: [query], should: [{ term: { [path]: { value: written, boost } } }] } };
  }

  /** The sum of the idf of words of a field, as a boost. */
  async #idf(field: string, words: readonly string[]): Promise<number> {
    const { collection, hasOwnStatistics } = this.#context;
    if (hasOwnStatistics) return words.length * OWN_IDF;
    const [docCount, ...docFreqs] = await Promise.all([
      collection.docCount(field),
      ...words.map((word) => collection.docFreq(field, word)),
    ]);
    return docFreqs.reduce((sum, n) => sum + inverseDocFreq(n, docCount), 0);
  }

  async #phrase({
    field,
    terms,
    slop,
    lastIsPrefix,
  }: Extract<QueryAst, { readonly kind: "phrase" }>): Promise<Dsl> {
    if (!lastIsPrefix) {
      const boost = await this.#idf(
        field,
        terms.map(({ term }) => term),
      );
      const query = phraseQuery(field, terms, slop, boost);
      if (!this.#context.hasOwnStatistics || terms.length < 2) return query;
      // Shards without any word of a phrase tell nothing of its field, unless they are asked for a word alone.
      const word = { value: terms[0]!.term, boost: NOTHING };
      return { bool: { must: [query], should: [{ term: { [partOf("t", field)]: word } }] } };
    }
    const last = terms.at(-1);
    if (last === undefined) return MATCH_NONE;
    const whole = terms.slice(0, -1);
    if (whole.length === 0) return constant(beginningWith(partOf("t", field), last.term));
    const [ends, boost] = await Promise.all([
      wordsBeginningWith(field, last.term, this.#context.collection),
      this.#idf(
        field,
        whole.map(({ term }) => term),
      ),
    ]);
    if (ends.length > PHRASE_ENDS_MAX) {
      throw new FindlingError(
        "not_supported",
        `more than ${PHRASE_ENDS_MAX} words begin with '${last.term}', more than a phrase on a cluster may end in; type more of the word`,
      );
    }
    if (ends.length === 0) return MATCH_NONE;
    const queries = ends.map((term) => phraseQuery(field, [...whole, { ...last, term }], slop, boost));
    return bestOf(queries);
  }

  /** How much a key of synonyms says: the sum of the idf of its words. */
  async #importance(ast: SynonymsAst): Promise<(key: readonly PhraseTerm[]) => Promise<number>> {
    const { collection } = this.#context;
    const fields = ast.fields.map(({ field }) => field);
    const statistics = [...new Set([...fields, ...this.#fuzzyFieldsOf(ast.ast)])];
    const docCounts = await Promise.all(statistics.map((field) => collection.docCount(field)));
    const docCount = Math.max(...docCounts);
    return async (key) => {
      const parts = await Promise.all(
        key.map(async ({ term }) => {
          const docFreqs = await Promise.all(statistics.map((field) => collection.docFreq(field, term)));
          return inverseDocFreq(Math.max(...docFreqs), docCount);
        }),
      );
      return parts.reduce((a, b) => a + b, 0);
    };
  }

  async #synonyms(ast: SynonymsAst): Promise<Dsl> {
    const fields = ast.fields.map(({ field }) => field);
    const importanceOf = await this.#importance(ast);
    const [words, ...alternatives] = await Promise.all([
      this.scored(ast.ast),
      ...ast.alternatives.map(async ({ key, terms }) => {
        const importance = await importanceOf(key);
        const holdsKey = constant(anyOf(fields.map((field) => phraseQuery(field, key, 0, 1))), importance);
        const runs = terms.flatMap((run) =>
          ast.fields.map(({ field, boost }) => phraseQuery(field, run, 0, boost)),
        );
        const query = scripted(anyOf(runs), "params.scale * (0.5 + 0.45 * _score / (1.0 + _score))", {
          scale: importance,
        });
        return { holdsKey, query, isEmpty: runs.length === 0 };
      }),
    ]);
    const bonus: Dsl = { dis_max: { queries: alternatives.map(({ holdsKey }) => holdsKey) } };
    const withBonus: Dsl = alternatives.length === 0 ? words : { bool: { must: [words], should: [bonus] } };
    return {
      dis_max: {
        queries: [withBonus, ...alternatives.flatMap(({ query, isEmpty }) => (isEmpty ? [] : [query]))],
      },
    };
  }

  #fuzzyFieldsOf(ast: QueryAst): readonly string[] {
    const words =
      ast.kind === "boolean"
        ? ast.clauses.map((clause) => clause.ast)
        : ast.kind === "words"
          ? ast.readings.map((reading) => reading.ast)
          : [ast];
    return words.flatMap((word) => (word.kind === "fuzzy" ? this.#context.statisticsFieldsOf(word) : []));
  }

  async #boolean(
    { clauses, minimumShouldMatch = 0 }: Extract<QueryAst, { readonly kind: "boolean" }>,
    lower: (ast: QueryAst) => Promise<Dsl>,
  ): Promise<Dsl> {
    const lowered = await Promise.all(
      clauses.map(async (clause) => {
        const [occur, query] = await Promise.all([
          clause.occur !== "must_if_present"
            ? clause.occur
            : this.#context.holds(clause).then((holds) => (holds ? "must" : "should")),
          clause.occur === "filter" || clause.occur === "must_not"
            ? this.filter(clause.ast)
            : lower(clause.ast),
        ]);
        return { occur, query };
      }),
    );
    const of = (occur: string): Dsl[] =>
      lowered.flatMap((each) => (each.occur === occur ? [each.query] : []));
    const [must, filter, mustNot] = [of("must"), of("filter"), of("must_not")];
    // How many match has to be counted as they are.
    const should = minimumShouldMatch > 1 ? of("should") : withoutRepeats(of("should"));
    if (must.length + filter.length + should.length === 0) must.push(MATCH_ALL);
    const onlyOptional = must.length + filter.length === 0;
    const minimum = Math.max(minimumShouldMatch, onlyOptional ? 1 : 0);
    if (minimum > should.length) return MATCH_NONE;
    return {
      bool: {
        ...(must.length > 0 && { must }),
        ...(filter.length > 0 && { filter }),
        ...(should.length > 0 && { should, minimum_should_match: minimum }),
        ...(mustNot.length > 0 && { must_not: mustNot }),
      },
    };
  }

  #exists(field: string): Dsl {
    return { term: { has: field } };
  }

  #valueSet(name: string, values: readonly CanonicalValue[]): Dsl {
    const field = this.#fields.get(name)!;
    const stored = values.map((value) => wholeValue(field, value));
    return { terms: { [partOf("v", name)]: stored } };
  }

  #valueRange(
    name: string,
    lower: AstBound<CanonicalValue> | null,
    upper: AstBound<CanonicalValue> | null,
  ): Dsl {
    const field = this.#fields.get(name)!;
    const ends: Record<string, string> = {};
    for (const [bound, side, operator] of [
      [lower, "lower", "gt"],
      [upper, "upper", "lt"],
    ] as const) {
      if (bound === null) continue;
      const resolved = rangeBound(field, bound.value, bound.inclusive, side);
      if (resolved === "none") return MATCH_NONE;
      if (resolved !== "all")
        ends[resolved.inclusive ? `${operator}e` : operator] = hexadecimal(resolved.bytes);
    }
    return Object.keys(ends).length === 0 ? this.#exists(name) : { range: { [partOf("v", name)]: ends } };
  }
}

function range(path: string, lower: AstBound<string> | null, upper: AstBound<string> | null): Dsl {
  return {
    range: {
      [path]: {
        ...(lower !== null && { [lower.inclusive ? "gte" : "gt"]: lower.value }),
        ...(upper !== null && { [upper.inclusive ? "lte" : "lt"]: upper.value }),
      },
    },
  };
}
