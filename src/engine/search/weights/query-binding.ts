import { FindlingError } from "../../../errors/index.js";
import { ownText } from "../../bytes/own-text.js";
import type { EngineField, EngineSchema, FieldKind } from "../../schema/engine-schema.js";
import type { BooleanQuery, FuzzyQuery, PhraseQuery, Query, TermQuery } from "../query.js";
import { NO_INTERRUPT, type SearchInterrupt } from "../search-interrupt.js";
import type { CollectionStatistics } from "../search-types.js";
import { Bm25Similarity } from "../similarity/bm25-similarity.js";
import type { BooleanWeight } from "./boolean-weight.js";
import { BoundPhrase } from "./bound-phrase.js";
import { BoundTerm, type BoundTextField } from "./bound-term.js";
import { BoundWord } from "./bound-word.js";
import { type BoundAlternatives, KnownAlternatives } from "./known-alternatives.js";
import { KnownPhrases } from "./known-phrases.js";
import { TermWeight } from "./term-weight.js";

/** Terms that are remembered, about 200 bytes each; beyond that all are forgotten. */
const TERMS_MAX = 10_000;
/** Typo-tolerant words that are remembered, some 10 KB each at most for a segment; beyond that all are forgotten. */
const WORDS_MAX = 200;
/** UTF-16 units of terms and words that are remembered: those of documents have fewer bytes. */
const TERM_LENGTH_MAX = 255;
/** Clauses that are bound between two looks at the clock; a power of two. */
const CLAUSES_PER_CHECK = 256;

/**
 * What queries are bound to: the fields that they may name and the statistics that their scores depend
 * on, which don't change.
 */
export class QueryBinding {
  readonly statistics: CollectionStatistics;
  readonly interrupt: SearchInterrupt;
  #clauses = 0;
  readonly #schema: EngineSchema;
  readonly #fields: ReadonlyMap<string, EngineField>;
  readonly #textFields: Map<string, BoundTextField>;
  readonly #terms: BoundTerms;
  readonly #words: BoundWords;
  readonly #phrases: KnownPhrases;
  readonly #alternatives: KnownAlternatives;

  /** @param known one for the same schema and statistics */
  constructor(
    schema: EngineSchema,
    statistics: CollectionStatistics,
    interrupt: SearchInterrupt = NO_INTERRUPT,
    known: QueryBinding | null = null,
  ) {
    this.statistics = statistics;
    this.interrupt = interrupt;
    this.#fields = fieldsOf(schema);
    this.#textFields = known === null ? new Map() : known.#textFields;
    this.#terms = known === null ? { byField: new Map(), count: 0, remembered: 0 } : known.#terms;
    this.#words = known === null ? { byTerm: new Map(), count: 0 } : known.#words;
    this.#phrases = known === null ? new KnownPhrases() : known.#phrases;
    this.#alternatives = known === null ? new KnownAlternatives() : known.#alternatives;
    this.#schema = schema;
  }

  /** To be called before each clause of a query is bound. @throws FindlingError `search_timeout` */
  beginClause(): void {
    this.#clauses = (this.#clauses + 1) & (CLAUSES_PER_CHECK - 1);
    if (this.#clauses === 0) this.interrupt.check();
  }

  /** The same for another search, which shares what is known of the fields. */
  endedBy(interrupt: SearchInterrupt): QueryBinding {
    if (interrupt === this.interrupt) return this;
    return new QueryBinding(this.#schema, this.statistics, interrupt, this);
  }

  /** @throws FindlingError `unknown_field`; `invalid_request` if the field is of another kind */
  field(name: string, kinds: readonly FieldKind[]): EngineField {
    const field = this.#fields.get(name);
    if (field === undefined) throw new FindlingError("unknown_field", `field '${name}' is not in the schema`);
    if (!kinds.includes(field.kind)) {
      throw new FindlingError(
        "invalid_request",
        `field '${name}' is of kind ${field.kind}, this query needs one of: ${kinds.join(", ")}`,
      );
    }
    return field;
  }

  /** @throws FindlingError as `field`, for any but a text field */
  textField(name: string): BoundTextField {
    const known = this.#textFields.get(name);
    if (known !== undefined) return known;
    // The name as the schema has it, as a query's may be a part of its text.
    const { name: own } = this.field(name, ["text"]);
    const statistics = this.statistics.fieldStatistics(own);
    const bound = { similarity: Bm25Similarity.of(statistics), docCount: statistics.docCount };
    this.#textFields.set(own, bound);
    return bound;
  }

  /** @throws FindlingError as `textField` */
  term(field: string, term: string): BoundTerm {
    return this.#weightOf(field, term).term;
  }

  /** Of boost 1; the same from search to search. @throws FindlingError as `textField` */
  termWeight({ field, term }: TermQuery): TermWeight {
    return this.#weightOf(field, term);
  }

  /** A typo-tolerant word by the statistics of the query's fields, or those that it names instead. */
  word({ term, maxDistance, fields, statisticsFields }: FuzzyQuery): BoundWord {
    const names = statisticsFields ?? fields.map(({ field }) => field);
    const words = this.#words;
    let ofTerm = words.byTerm.get(term);
    if (ofTerm !== undefined) {
      for (let i = 0; i < ofTerm.length; i++) if (isOf(ofTerm[i]!, maxDistance, names)) return ofTerm[i]!;
    }
    const own = ownText(term);
    const query = { term: own, maxDistance, names: names.map(ownText) };
    const bound = new BoundWord(query, this.statistics, this.interrupt);
    if (own.length > TERM_LENGTH_MAX) return bound;
    if (words.count++ >= WORDS_MAX) {
      words.byTerm.clear();
      words.count = 1;
      ofTerm = undefined;
    }
    if (ofTerm === undefined) words.byTerm.set(own, [bound]);
    else ofTerm.push(bound);
    return bound;
  }

  /**
   * @param query with at least one token that is no prefix
   * @throws FindlingError as `textField`
   */
  phrase(query: PhraseQuery): BoundPhrase {
    const known = this.#phrases.find(query);
    if (known !== null) return known;
    const { field, terms, lastIsPrefix } = query;
    const tokenCount = lastIsPrefix ? terms.length - 1 : terms.length;
    const tokens: BoundTerm[] = [];
    for (let i = 0; i < tokenCount; i++) tokens.push(this.term(field, terms[i]!.term));
    const bound = new BoundPhrase(query, tokens);
    this.#phrases.add(bound);
    return bound;
  }

  /** A word or phrase in several fields that was asked for repeatedly; null if it wasn't, or is something else. */
  alternatives(query: BooleanQuery): BoundAlternatives | null {
    return this.#alternatives.find(query);
  }

  /** Counts up with every term and phrase that is remembered. */
  get remembered(): number {
    return this.#terms.remembered + this.#phrases.remembered;
  }

  /** @param fields, isFirst, weight as for `KnownAlternatives.add` */
  rememberAlternatives(
    query: BooleanQuery,
    fields: readonly string[],
    isFirst: (query: Query) => boolean,
    weight: BooleanWeight,
  ): void {
    this.#alternatives.add(query, fields, isFirst, weight);
  }

  #weightOf(field: string, term: string): TermWeight {
    const known = this.#terms.byField.get(field)?.get(term);
    return known === undefined ? this.#bind(field, term) : known;
  }

  #bind(fieldName: string, text: string): TermWeight {
    const textField = this.textField(fieldName);
    const field = this.#fields.get(fieldName)!.name;
    const term = ownText(text);
    const docFreq = this.statistics.docFreq(field, term);
    const bound = new TermWeight(new BoundTerm(field, term, textField, docFreq), 1);
    if (term.length > TERM_LENGTH_MAX) return bound;
    const terms = this.#terms;
    terms.remembered++;
    if (terms.count++ >= TERMS_MAX) {
      terms.byField.clear();
      terms.count = 1;
    }
    let ofField = terms.byField.get(field);
    if (ofField === undefined) terms.byField.set(field, (ofField = new Map()));
    ofField.set(term, bound);
    return bound;
  }
}

/** By the word as it is asked for. */
interface BoundWords {
  readonly byTerm: Map<string, BoundWord[]>;
  count: number;
}

function isOf({ query }: BoundWord, maxDistance: number, names: readonly string[]): boolean {
  if (query.maxDistance !== maxDistance || query.names.length !== names.length) return false;
  for (let i = 0; i < names.length; i++) if (names[i] !== query.names[i]) return false;
  return true;
}

/** By field, by term. */
interface BoundTerms {
  readonly byField: Map<string, Map<string, TermWeight>>;
  count: number;
  /** Terms that were ever remembered. */
  remembered: number;
}

const fieldsBySchema = new WeakMap<EngineSchema, ReadonlyMap<string, EngineField>>();

function fieldsOf(schema: EngineSchema): ReadonlyMap<string, EngineField> {
  let fields = fieldsBySchema.get(schema);
  if (fields === undefined) {
    fields = new Map(schema.fields.map((field) => [field.name, field]));
    fieldsBySchema.set(schema, fields);
  }
  return fields;
}
