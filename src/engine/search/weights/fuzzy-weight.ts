import { shownTerm } from "../../../analysis/stem-terms.js";
import { distanceOfEdits, editsOf, FOLDED } from "../../../analysis/word-distance.js";
import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { WordLevel } from "../../kernels/word-table.js";
import type { FieldTerms } from "../../segment/segment-reader.js";
import type { WordExpansion } from "../automaton/word-expansion.js";
import type { Evaluator } from "../evaluators/evaluator.js";
import { RowEvaluator } from "../evaluators/row-evaluator.js";
import { VariantsEvaluator } from "../evaluators/variants-evaluator.js";
import type { SegmentContext } from "../plan/matcher.js";
import {
  EMPTY_PLAN,
  evaluatedPlan,
  oneLeafOf,
  planOfLeaf,
  type QueryPlan,
  type RowLeaf,
} from "../plan/query-plan.js";
import type { FuzzyQuery } from "../query.js";
import { type Explanation, NO_VARIANT, type VariantsAt } from "../search-types.js";
import {
  type Bm25Similarity,
  inverseDocumentFrequency,
  NODE_SCORE_MAX,
  SATURATION_LIMIT,
  WRITTEN_WEIGHT,
} from "../similarity/bm25-similarity.js";
import {
  BEGUN_WEIGHT,
  fuzzyScore,
  fuzzyScoreBound,
  isFirstRowScore,
  isRowScore,
  rowScore,
  STEM_STEPS,
  stepsBetween,
  stepsOfScore,
} from "../similarity/fuzzy-scoring.js";
import type { SegmentStatistics } from "../statistics/segment-statistics.js";
import { eachMatch } from "./explain-matches.js";
import type { QueryBinding } from "./query-binding.js";
import { Weight } from "./weight.js";
import { WordRows } from "./word-rows.js";

interface FuzzyField {
  readonly name: string;
  readonly boost: number;
  readonly similarity: Bm25Similarity;
  /** Whether some documents with the stem hold the word as it is written, and others don't. */
  readonly isWrittenApart: boolean;
}

/** A word's variants at one distance in one field of a segment; those with the same steps are one level. */
interface VariantLevel {
  readonly distance: number;
  /** See `fuzzyScore`. */
  readonly steps: number;
  readonly field: FuzzyField;
  /** Whether they only begin like the word. */
  readonly isBegun: boolean;
  readonly boost: number;
  readonly terms: FieldTerms;
  readonly ordinals: readonly number[];
}

const NO_TERMS: ReadonlySet<number> = new Set();

/** Documents that hold a word or a variant of it; scores as docs/adr/0003-fuzzy-scoring.md says. */
export class FuzzyWeight extends Weight {
  readonly #query: FuzzyQuery;
  readonly #fields: readonly FuzzyField[];
  /** Smallest distance of a variant in any live document; `NO_VARIANT` if there is none. */
  readonly #nearestDistance: number;
  /** Documents that have any of the fields, in the whole collection. */
  readonly docCount: number;
  readonly #inverseDocFreq: number;
  /** How documents with the stem stand to those with the word; `unasked` where no live document has it. */
  readonly #stemRank: "alike" | "below" | "unasked";
  /** By segment: its plan, its evaluator and how near its words stand all ask for them. */
  readonly #knownLevels: Map<SegmentStatistics, readonly VariantLevel[]> = new Map();
  /** What else the word may be written as; null: nothing that the collection holds. */
  readonly #rows: WordRows | null;
  /** Whether rows come before the nearest variants, and some live document of the collection holds one. */
  readonly #rowsComeFirst: boolean;
  /** Whether any live document of the collection holds the word, a variant or a row. */
  readonly #occurs: boolean;

  /** @throws FindlingError as `QueryBinding.textField`; `search_timeout` */
  constructor(query: FuzzyQuery, binding: QueryBinding) {
    super();
    const { term, stem, fields, statisticsFields } = query;
    const { statistics, interrupt } = binding;
    this.#query = query;
    this.#fields = fields.map(({ field, boost }) => {
      const { similarity } = binding.textField(field);
      const isWrittenApart =
        stem !== undefined && statistics.docFreq(field, term) !== statistics.docFreq(field, stem.term);
      return { name: field, boost, similarity, isWrittenApart };
    });
    const names = statisticsFields ?? fields.map(({ field }) => field);
    const stemDocFreq = stem === undefined ? 0 : greatestDocFreq(stem.term, names, binding);
    let nearest = stemDocFreq > 0 ? 0 : NO_VARIANT;
    for (const name of nearest === 0 ? [] : names) {
      nearest = Math.min(nearest, statistics.variantDistance(name, query, interrupt));
    }
    let docFreq = stemDocFreq;
    let docCount = 0;
    for (const name of names) {
      docFreq = Math.max(docFreq, statistics.variantDocFreq(name, query, nearest, interrupt));
      docCount = Math.max(docCount, statistics.fieldStatistics(name).docCount);
    }
    this.#nearestDistance = nearest;
    this.docCount = docCount;
    this.#rows = query.rows === undefined ? null : WordRows.of(query, editsOf(nearest), names, binding);
    const { rowsComeBefore } = query;
    // Where fields count nothing, all that hold any of it score the same.
    const mayRowsBeFirst =
      rowsComeBefore !== undefined && editsOf(nearest) >= rowsComeBefore && this.#boosts > 0;
    const rowsOccur =
      (mayRowsBeFirst || nearest === NO_VARIANT) && this.#rows?.occurIn(names, binding) === true;
    this.#rowsComeFirst = mayRowsBeFirst && rowsOccur;
    this.#occurs = nearest < NO_VARIANT || rowsOccur;
    if (nearest === NO_VARIANT && this.#occurs) docFreq = this.#rows!.docFreq;
    if (stemDocFreq === 0) this.#stemRank = "unasked";
    else this.#stemRank = stem!.ranksBelow && greatestDocFreq(term, names, binding) > 0 ? "below" : "alike";
    this.#inverseDocFreq = inverseDocumentFrequency(docFreq, docCount);
  }

  override mayOccur(): boolean {
    return this.#occurs;
  }

  /** Whether the word itself occurs, or a variant of it, and not merely a row. */
  get hasVariants(): boolean {
    return this.#nearestDistance < NO_VARIANT;
  }

  /** How far a document is from the nearest variants, by its score; see `stepsOfScore`. */
  stepsOf(score: number): number {
    return stepsOfScore(this.#inverseDocFreq, score);
  }

  /** Whether a document holds a row where others hold the word itself, by its score. */
  isRow(score: number): boolean {
    return this.#rows !== null && this.#nearestEdits === 0 && isRowScore(this.#inverseDocFreq, score);
  }

  /** Whether a document holds merely a variant where others hold a row that comes before these, by its score. */
  isBehindRows(score: number): boolean {
    if (!this.#rowsComeFirst) return false;
    return !isFirstRowScore(this.#inverseDocFreq, this.#variantsBound(this.#boosts), score);
  }

  get #boosts(): number {
    return this.#fields.reduce((sum, { boost }) => sum + boost, 0);
  }

  get #nearestEdits(): number {
    return editsOf(this.#nearestDistance);
  }

  get fields(): FuzzyQuery["fields"] {
    return this.#query.fields;
  }

  /** Code points of the beginning that the word stands for; infinite if it is whole. */
  get begunLength(): number {
    const { begun } = this.#query;
    return begun === undefined ? Number.POSITIVE_INFINITY : [...begun.prefix].length;
  }

  get inverseDocFreq(): number {
    return this.#inverseDocFreq;
  }

  get isBegun(): boolean {
    return this.#query.begun !== undefined;
  }

  /** What it stands for where it matters which words follow which: all with its stem, unless it is begun. */
  get followedVariants(): VariantsAt {
    const { stem } = this.#query;
    return this.#stemRank === "unasked" || this.isBegun
      ? { pattern: this.#query, distance: this.#nearestDistance }
      : { pattern: { term: stem!.term, maxDistance: 0 }, distance: 0 };
  }

  get statisticsFields(): readonly string[] {
    return this.#query.statisticsFields ?? this.#query.fields.map(({ field }) => field);
  }

  /** The terms of the nearest variants in a segment, by field; none where the field isn't searched. */
  nearestTerms(context: SegmentContext, field: string): readonly number[] {
    return this.#levels(context)
      .filter(({ steps, field: { name } }) => name === field && steps === 0)
      .flatMap(({ ordinals }) => ordinals);
  }

  /** Those of them that don't only begin like the word, each once; none where rows come before them. */
  wholeTerms(context: SegmentContext, field: string): ReadonlySet<number> {
    if (this.#rowsComeFirst) return NO_TERMS;
    const levels = this.#levels(context).filter(
      ({ steps, isBegun, field: { name } }) => name === field && steps === 0 && !isBegun,
    );
    return new Set(levels.flatMap(({ ordinals }) => ordinals));
  }

  /** @param boosts those of all fields together: the query's own, or those of a federation's heaviest member */
  override scoreBound(boosts: number = this.#boosts): number {
    const ofWord = this.#variantsBound(boosts);
    const beforeOthers = this.#rowsComeFirst ? boosts * SATURATION_LIMIT : 0;
    return fuzzyScoreBound(this.#inverseDocFreq, ofWord + beforeOthers);
  }

  /** What the BM25 of variants without idf stays below. */
  #variantsBound(boosts: number): number {
    const { stem, begun } = this.#query;
    const share = 1 + (stem === undefined ? 0 : WRITTEN_WEIGHT) + (begun === undefined ? 0 : BEGUN_WEIGHT);
    return Math.min(boosts * SATURATION_LIMIT * share, NODE_SCORE_MAX);
  }

  /** What a document scores for rows, by their BM25 without idf. */
  #rowScore(): (termScore: number) => number {
    const idf = this.#inverseDocFreq;
    const isSlip = this.#nearestEdits === 0;
    const before = this.#rowsComeFirst ? this.#variantsBound(this.#boosts) : 0;
    const most = Math.min(this.#boosts * SATURATION_LIMIT, NODE_SCORE_MAX);
    return (termScore) => Math.min(rowScore(idf, { isSlip, before, most }, termScore), NODE_SCORE_MAX);
  }

  evaluator(context: SegmentContext): Evaluator | null {
    const word = this.#variants(context);
    const rows = this.#rows?.weight?.evaluator(context) ?? null;
    return rows === null ? word : new RowEvaluator(word, rows, this.#rowScore(), context.pool);
  }

  #variants(context: SegmentContext): VariantsEvaluator | null {
    const found = this.#levels(context);
    if (found.length === 0) return null;
    const { segment, pool } = context;
    const inverseDocFreq = this.#inverseDocFreq;
    const levels = found.map(({ distance, steps, boost, terms, ordinals, field }) => {
      // What its scores without idf stay below.
      const weight = Math.min(Math.fround(boost * SATURATION_LIMIT), NODE_SCORE_MAX);
      return { distance, steps, weight, terms, ordinals, lengthNorms: field.similarity.lengthNorms };
    });
    const score = (steps: number, termScore: number): number => fuzzyScore(inverseDocFreq, steps, termScore);
    return new VariantsEvaluator({ levels, score, segment, pool });
  }

  override plan(context: SegmentContext): QueryPlan {
    const found = this.#levels(context);
    const rows = this.#rowLeaf(context);
    if (found.length === 0 && rows === null) return EMPTY_PLAN;
    const levels: WordLevel[] = [];
    for (let i = 0; i < found.length; i++) {
      const { terms, field, steps, boost, ordinals } = found[i]!;
      const weight = Math.min(Math.fround(boost * SATURATION_LIMIT), NODE_SCORE_MAX);
      if (!(weight > 0)) return evaluatedPlan(this);
      levels.push({
        image: terms.image!,
        weight,
        lengthNorms: field.similarity.lengthNorms,
        inverseDocFreq: this.#inverseDocFreq,
        steps,
        places: ordinals.map((ordinal) => terms.placeOf(ordinal)),
      });
    }
    return planOfLeaf({ kind: "word", levels, rows, matcher: this });
  }

  #rowLeaf(context: SegmentContext): RowLeaf | null {
    const weight = this.#rows?.weight ?? null;
    const leaf = weight === null ? null : oneLeafOf(weight.plan(context), weight);
    return leaf === null
      ? null
      : {
          leaf,
          areSlips: this.#nearestEdits === 0,
          areFirst: this.#rowsComeFirst,
          scoreOf: this.#rowScore(),
        };
  }

  override mark(context: SegmentContext, kernels: SegmentKernels, target: number): void {
    for (const { terms, ordinals } of this.#levels(context)) {
      const places = ordinals.map((ordinal) => terms.placeOf(ordinal));
      kernels.termBits.or(target, terms.image!, places);
    }
    this.#rows?.weight?.mark(context, kernels, target);
  }

  /**
   * By distance from the nearest of the collection on, then in the query's order of fields, whole words before those
   * that only begin so: what there is in the segment. Nearer ones are in deleted documents only.
   */
  #levels(context: SegmentContext): readonly VariantLevel[] {
    const { statistics } = context;
    let levels = this.#knownLevels.get(statistics);
    if (levels === undefined) this.#knownLevels.set(statistics, (levels = this.#findLevels(context)));
    return levels;
  }

  #findLevels({ segment, statistics, pool }: SegmentContext): VariantLevel[] {
    const { maxDistance, begun } = this.#query;
    const isStemAlike = this.#stemRank === "alike";
    const farthest = distanceOfEdits(Math.max(maxDistance, begun?.maxDistance ?? 0));
    const levels: VariantLevel[] = [];
    const variants = this.#fields.map((field) => {
      const expansion = statistics.expansion(field.name, this.#query, pool.interrupt);
      return expansion === null ? null : ordinalsByNearness(expansion);
    });
    for (let distance = this.#nearestDistance; distance <= farthest; distance++) {
      const steps = stepsBetween(this.#nearestDistance, distance);
      for (let i = 0; i < this.#fields.length; i++) {
        const field = this.#fields[i]!;
        const terms = segment.terms(field.name);
        const found = variants[i]!;
        if (terms === null || found === null) continue;
        const add = (isBegun: boolean, boost: number): void => {
          const ordinals = found[nearnessOf(distance, isBegun)];
          if (ordinals !== undefined)
            levels.push({ distance, steps, field, isBegun, boost, terms, ordinals });
        };
        const stems = distance === 0 && isStemAlike ? this.#stemLevel(field, 0, statistics) : null;
        if (stems !== null) levels.push(stems);
        // The stem has counted what the word is found by; this tells documents apart that hold it.
        if (stems === null) add(false, field.boost);
        else if (field.isWrittenApart) add(false, WRITTEN_WEIGHT * field.boost);
        if (begun !== undefined) add(true, BEGUN_WEIGHT * field.boost);
      }
      if (distance > 0 || this.#stemRank !== "below") continue;
      for (const field of this.#fields) {
        const stems = this.#stemLevel(field, STEM_STEPS, statistics);
        if (stems !== null) levels.push(stems);
      }
    }
    return levels;
  }

  #stemLevel(field: FuzzyField, steps: number, statistics: SegmentStatistics): VariantLevel | null {
    const found = statistics.term(field.name, this.#query.stem!.term);
    if (found === null) return null;
    const { terms, ordinal } = found;
    return { distance: 0, steps, field, isBegun: false, boost: field.boost, terms, ordinals: [ordinal] };
  }

  explain(context: SegmentContext, docIds: Uint32Array): (Explanation | null)[] {
    const { term, stem, maxDistance, begun } = this.#query;
    const { pool } = context;
    const byStem = stem === undefined ? "" : ` or by its stem '${shownTerm(stem.term)}'`;
    const asTyped =
      begun === undefined ? "" : `, or by what begins within ${begun.maxDistance} edits of '${begun.prefix}'`;
    const description = `fuzzy word '${term}' within ${maxDistance} edits${byStem}${asTyped}`;
    // Of the collection, and so the same for all documents.
    const details: readonly Explanation[] = [
      { value: this.#inverseDocFreq, description: "idf of the word's nearest variants", details: [] },
      {
        value: this.#nearestEdits,
        description: `edits to the nearest variant in the collection${folded(this.#nearestDistance)}`,
        details: [],
      },
    ];
    const variants = this.#variants(context);
    const ofVariants = eachMatch(variants, docIds, pool, (score, _place, docId) => ({
      score,
      distance: variants!.distanceOf(docId),
    }));
    return eachMatch(this.evaluator(context), docIds, pool, (score, place) => {
      const variant = ofVariants[place] ?? null;
      const own: Explanation =
        variant !== null && variant.score === score
          ? {
              value: editsOf(variant.distance),
              description: `edits to this document's nearest variant${folded(variant.distance)}`,
              details: [],
            }
          : { value: 1, description: "slip: the word is written in two or as one with another", details: [] };
      return { value: score, description, details: [...details, own] };
    });
  }
}

/** What a distance is that has no edits, and yet isn't the word itself. */
function folded(distance: number): string {
  return distance === FOLDED ? ", which differs in accents or letters that folding makes one" : "";
}

/** Live documents with the term, in the field where it is most common. */
function greatestDocFreq(term: string, fields: readonly string[], { statistics }: QueryBinding): number {
  return fields.reduce((most, field) => Math.max(most, statistics.docFreq(field, term)), 0);
}

/** A number for each distance, and for whole words before those that only begin so. */
function nearnessOf(distance: number, isBegun: boolean): number {
  return 2 * distance + (isBegun ? 1 : 0);
}

/** By nearness; nothing for those that no variant has. */
function ordinalsByNearness({
  ordinals,
  distances,
  areBegun,
}: WordExpansion): readonly (readonly number[] | undefined)[] {
  const found: (number[] | undefined)[] = [];
  for (let i = 0; i < ordinals.length; i++)
    (found[nearnessOf(distances[i]!, areBegun?.[i] === 1)] ??= []).push(ordinals[i]!);
  return found;
}
