import { ownText } from "../../bytes/own-text.js";
import type { ExpectedCost } from "../expected-cost.js";
import type { BooleanQuery, PhraseQuery, Query } from "../query.js";
import type { BooleanWeight } from "./boolean-weight.js";
import { isKept } from "./bound-phrase.js";
import { BySegment } from "./by-segment.js";

/**
 * Tokens in a field, once of each that is remembered and once more for each segment that it was planned for: some 200
 * bytes each. Beyond that all are forgotten.
 */
const PARTS_MAX = 30_000;
/** Those that begin with the same term: they are gone through one by one, and no more are kept. */
const LISTED_MAX = 8;
/** UTF-16 units of terms that are remembered: those of documents have fewer bytes. */
const TERM_LENGTH_MAX = 255;

/** A word or phrase that is looked for in several fields, of which a document needs one. */
export class BoundAlternatives {
  readonly weight: BooleanWeight;
  /** What a search of a segment for them is expected to take. */
  readonly costs: BySegment<ExpectedCost> = new BySegment();
  readonly #fields: readonly string[];
  readonly #isFirst: (query: Query) => boolean;

  /** @param isFirst whether a query is the one of the first field */
  constructor(fields: readonly string[], isFirst: (query: Query) => boolean, weight: BooleanWeight) {
    this.#fields = fields;
    this.#isFirst = isFirst;
    this.weight = weight;
  }

  /** @param query that asks for one text in several fields */
  isOf({ clauses }: BooleanQuery): boolean {
    const fields = this.#fields;
    if (clauses.length !== fields.length) return false;
    for (let i = 0; i < fields.length; i++) if (fieldOf(clauses[i]!.query) !== fields[i]) return false;
    return this.#isFirst(clauses[0]!.query);
  }
}

/** Words and phrases in several fields that were asked for repeatedly, each found by one look. Bounded in size. */
export class KnownAlternatives {
  /** By their first term. */
  readonly #byTerm: Map<string, BoundAlternatives[]> = new Map();
  #partCount = 0;

  find(query: BooleanQuery): BoundAlternatives | null {
    const term = commonTermOf(query);
    const listed = term === null ? undefined : this.#byTerm.get(term);
    if (listed === undefined) return null;
    for (let i = 0; i < listed.length; i++) if (listed[i]!.isOf(query)) return listed[i]!;
    return null;
  }

  /**
   * Nothing happens where it isn't one text in several fields, or too long to be kept.
   *
   * @param query that isn't known
   * @param fields its clauses' fields, and `isFirst` whether a query is its first clause's; neither keeps a text alive
   *   that the query was read from
   * @param weight what it becomes
   */
  add(
    query: BooleanQuery,
    fields: readonly string[],
    isFirst: (query: Query) => boolean,
    weight: BooleanWeight,
  ): void {
    const term = commonTermOf(query);
    if (term === null || !isShort(query.clauses[0]!.query)) return;
    if (this.#byTerm.get(term)?.length === LISTED_MAX) return;
    const { query: first } = query.clauses[0]!;
    const parts = fields.length * (first.kind === "phrase" ? first.terms.length : 1);
    this.#count(parts);
    weight.keepPlans(() => this.#count(parts));
    const bound = new BoundAlternatives(fields, isFirst, weight);
    const listed = this.#byTerm.get(term);
    if (listed === undefined) this.#byTerm.set(ownText(term), [bound]);
    else listed.push(bound);
  }

  #count(parts: number): void {
    if (this.#partCount + parts > PARTS_MAX) {
      this.#byTerm.clear();
      this.#partCount = 0;
    }
    this.#partCount += parts;
  }
}

/** The first term where nothing is asked for but the same word or phrase in one of several fields; else null. */
function commonTermOf({ clauses, minimumShouldMatch }: BooleanQuery): string | null {
  if (clauses.length < 2 || minimumShouldMatch !== undefined) return null;
  const { query: first } = clauses[0]!;
  if (first.kind !== "term" && first.kind !== "phrase") return null;
  for (let i = 0; i < clauses.length; i++) {
    const { occur, query } = clauses[i]!;
    if (occur !== "should") return null;
    if (first.kind === "term" ? query.kind !== "term" || query.term !== first.term : !isSame(query, first))
      return null;
  }
  return first.kind === "term" ? first.term : first.terms[0]!.term;
}

/** Whether a query is the same phrase, in whatever field. */
function isSame(query: Query, { terms, slop, lastIsPrefix }: PhraseQuery): boolean {
  if (query.kind !== "phrase" || query.slop !== slop || query.lastIsPrefix !== lastIsPrefix) return false;
  if (query.terms.length !== terms.length) return false;
  for (let i = 0; i < terms.length; i++) {
    const own = query.terms[i]!;
    const other = terms[i]!;
    if (own.term !== other.term || own.position !== other.position) return false;
  }
  return true;
}

/** Null for what is neither term nor phrase. */
function fieldOf(query: Query): string | null {
  return query.kind === "term" || query.kind === "phrase" ? query.field : null;
}

function isShort(query: Query): boolean {
  return query.kind === "term"
    ? query.term.length <= TERM_LENGTH_MAX
    : query.kind === "phrase" && isKept(query);
}
