import { FOLDED } from "../../analysis/word-distance.js";
import type { AstReading, FuzzyAst, QueryAst } from "../../query/query-ast.js";
import type { Collection } from "./collection.js";
import { anyOf, constant, type Dsl, MATCH_NONE, scripted } from "./dsl.js";
import { type FuzzyFacts, inverseDocFreq, SLIP, type SlipFilter, slipFilters } from "./fuzzy-words.js";
import { NearWords } from "./nearness.js";
import { type LoneWord, wholeFields, wholeFieldsBound } from "./whole-fields.js";
import { shareOf } from "./word-rows.js";

type WordsAst = Extract<QueryAst, { readonly kind: "words" }>;

export interface WordsContext {
  readonly collection: Collection;
  /** The weights of the fields of a federation's heaviest member; null if they are the query's own. */
  readonly boosts: { readonly sum: number; readonly greatest: number } | null;
  scored(ast: QueryAst): Promise<Dsl>;
  filter(ast: QueryAst): Promise<Dsl>;
  factsOf(ast: FuzzyAst): Promise<FuzzyFacts>;
  /** The greatest score of synonyms beside that of the words. */
  importanceOf(ast: Extract<QueryAst, { readonly kind: "synonyms" }>): Promise<number>;
}

/** Ways in which readings may stand for all words, at most. */
const WAYS_MAX = 64;
/** What a document that holds all words has beyond the others, in the greatest scores of the readings. */
const TIERS = 13;
/** What a reading counts without slips, before these are taken off. */
const HELD = 4 * SLIP;
/** A word that more documents hold than this is no slip of another (its idf), … */
const SLIP_IDF_MIN = 8.5;
/** … where so many documents tell how frequent it is. */
const TELLING_DOC_COUNT = 1_000;

/** The tier of a way, by what its readings count together; explanations show the text. */
const TIER =
  "/* holds all words */ double slips = params.held - _score; double edits = Math.floor(slips / params.slip); " +
  "return params.unit * Math.max(1.0, params.tiers - 2.0 * edits - (slips > edits * params.slip ? 1.0 : 0.0))";

interface CoveringReading {
  readonly reading: AstReading;
  /** Which documents hold it, by the slips that it takes; none if no document can. */
  readonly bySlips: readonly SlipFilter[];
}

/**
 * A few words in a row, documents that hold all of them first, with fewer slips before those with more, and of those
 * without slips the ones before in which the words stand as in the query (docs/adr/0038-words-in-tiers.md).
 */
export class WordsLowering {
  readonly #context: WordsContext;

  constructor(context: WordsContext) {
    this.#context = context;
  }

  async scored(ast: WordsAst): Promise<Dsl> {
    const scoring = await this.#scoring(ast);
    const [queries, bounds, ways, near, alone] = await Promise.all([
      Promise.all(scoring.map((reading) => this.#context.scored(reading.ast))),
      Promise.all(scoring.map(({ ast: reading }) => this.#scoreBound(reading, this.#context.boosts?.sum))),
      this.#ways(ast),
      this.#nearWords(ast),
      this.#loneWord(ast),
    ]);
    const whole = alone === null ? [] : wholeFields(alone);
    const sum: Dsl =
      whole.length === 0 ? anyOf(queries) : { bool: { must: [anyOf(queries)], should: whole } };
    // A single word that is to be held has a tier only for how near it stands to stopwords.
    if (ways === null || (ast.needsAll !== true && ways.wantedCount < 2 && near.bound === 0)) return sum;
    const ofWhole = alone === null ? 0 : wholeFieldsBound(alone, this.#context.boosts?.sum);
    const unit = bounds.reduce((a, b) => a + b, near.bound + ofWhole);
    if (ways.all.length === 0) return ast.needsAll === true ? { match_none: {} } : sum;
    const cover: Dsl = { dis_max: { queries: ways.all.map((way) => tierOf(way, unit)) } };
    const held = ways.all.filter((way) => fixedSlipsOf(way) === 0).map(withoutSlips);
    const nearness = held.length === 0 ? null : await near.query(this.#context.collection);
    const should: Dsl[] = nearness === null ? [] : [{ bool: { filter: [anyOf(held)], must: [nearness] } }];
    return ast.needsAll === true
      ? { bool: { must: [sum, cover], should } }
      : { bool: { must: [sum], should: [cover, ...should] } };
  }

  async filter(ast: WordsAst): Promise<Dsl> {
    const scoring = ast.readings.filter(({ counts }) => counts !== "cover" && counts !== "nearness");
    const found = anyOf(await Promise.all(scoring.map((reading) => this.#context.filter(reading.ast))));
    if (ast.needsAll !== true) return found;
    const ways = (await this.#ways(ast))?.all ?? [];
    const covers = ways.map(
      (way): Dsl => ({
        bool: { filter: way.map(({ bySlips }) => anyOf(bySlips.map(({ filter }) => filter))) },
      }),
    );
    return { bool: { filter: [found, anyOf(covers)] } };
  }

  /** Readings that score; most words that two might make together occur nowhere. */
  async #scoring({ readings }: WordsAst): Promise<readonly AstReading[]> {
    const matters = await Promise.all(
      readings.map(
        async ({ counts, slips = 0, ast }) =>
          counts !== "cover" && counts !== "nearness" && (slips === 0 || (await this.#mayOccur(ast))),
      ),
    );
    return readings.filter((_, i) => matters[i]);
  }

  /** The ways in which readings stand for all words that may occur, and how many these are; null: none may. */
  async #ways({ readings, needsAll: isNeeded }: WordsAst): Promise<{
    readonly all: readonly (readonly CoveringReading[])[];
    readonly wantedCount: number;
  } | null> {
    const needsAll = isNeeded === true;
    const covering = await Promise.all(
      readings
        .filter(({ counts }) => counts !== "score" && counts !== "nearness")
        .map((reading) => this.#covering(reading, needsAll)),
    );
    const wordCount = Math.max(0, ...readings.map(({ end }) => end));
    const isWanted = Array.from(
      { length: wordCount },
      (_, word) =>
        needsAll ||
        covering.some(
          ({ reading: { start, end }, bySlips }) => start <= word && word < end && bySlips.length > 0,
        ),
    );
    const wantedCount = isWanted.filter((wanted) => wanted).length;
    if (!needsAll && wantedCount === 0) return null;
    const ways: (readonly CoveringReading[])[] = [];
    const go = (word: number, way: readonly CoveringReading[]): void => {
      if (ways.length >= WAYS_MAX) return;
      if (word === wordCount) {
        if (way.length > 0) ways.push(way);
        return;
      }
      for (const each of covering) {
        const { start, end } = each.reading;
        if (start === word && end > start && each.bySlips.length > 0) go(end, [...way, each]);
      }
      if (!isWanted[word]) go(word + 1, way);
    };
    go(0, []);
    return { all: ways, wantedCount };
  }

  async #covering(reading: AstReading, needsAll: boolean): Promise<CoveringReading> {
    const { ast } = reading;
    if (ast.kind === "fuzzy") {
      const facts = await this.#context.factsOf(ast);
      const isTold = facts.docCount >= TELLING_DOC_COUNT && facts.idf < SLIP_IDF_MIN;
      return { reading, bySlips: slipFilters(ast, isTold && !needsAll ? nearestOnly(facts) : facts) };
    }
    const mayOccur = await this.#mayOccur(ast);
    return { reading, bySlips: mayOccur ? [{ slips: 0, filter: await this.#context.filter(ast) }] : [] };
  }

  async #nearWords({ readings }: WordsAst): Promise<NearWords> {
    const placed = readings.flatMap(({ ast, position, counts }) =>
      position === undefined || ast.kind !== "fuzzy"
        ? []
        : [{ ast, position, isSilent: counts === "nearness" }],
    );
    const words = await Promise.all(
      placed.map(async (word) => ({ ...word, facts: await this.#context.factsOf(word.ast) })),
    );
    return NearWords.of(words, this.#context.boosts?.greatest ?? 0, this.#context.collection);
  }

  async #loneWord({ readings }: WordsAst): Promise<LoneWord | null> {
    const [only, second] = readings.filter(({ position }) => position !== undefined);
    if (only?.ast.kind !== "fuzzy" || second !== undefined) return null;
    return { ast: only.ast, facts: await this.#context.factsOf(only.ast) };
  }

  async #mayOccur(ast: QueryAst): Promise<boolean> {
    if (ast.kind === "fuzzy") {
      const { nearest, rows } = await this.#context.factsOf(ast);
      return nearest !== null || rows !== null;
    }
    if (ast.kind === "boolean" && ast.clauses.every(({ occur }) => occur === "should")) {
      const clauses = await Promise.all(ast.clauses.map((clause) => this.#mayOccur(clause.ast)));
      return clauses.some((mayOccur) => mayOccur);
    }
    if (ast.kind !== "term" && ast.kind !== "phrase") return true;
    const terms = ast.kind === "term" ? [ast.term] : ast.terms.map(({ term }) => term);
    const counts = await Promise.all(terms.map((term) => this.#context.collection.docFreq(ast.field, term)));
    return counts.every((count) => count > 0);
  }

  /** The most that a reading can score. @param boosts of all fields of a typo-tolerant word; absent: its own */
  async #scoreBound(ast: QueryAst, boosts?: number): Promise<number> {
    switch (ast.kind) {
      case "fuzzy": {
        const { idf, areRowsFirst } = await this.#context.factsOf(ast);
        const all = boosts ?? ast.fields.reduce((sum, { boost }) => sum + boost, 0);
        return idf * (0.1 + 2.2 * all * (shareOf(ast) + (areRowsFirst ? 1 : 0)));
      }
      case "boost":
        return ast.factor * (await this.#scoreBound(ast.ast));
      case "boolean": {
        const scored = ast.clauses.filter(({ occur }) => occur !== "filter" && occur !== "must_not");
        const bounds = await Promise.all(scored.map((clause) => this.#scoreBound(clause.ast)));
        return bounds.reduce((sum, bound) => sum + bound, 0);
      }
      case "synonyms": {
        const [words, importance] = await Promise.all([
          this.#scoreBound(ast.ast),
          this.#context.importanceOf(ast),
        ]);
        return words + importance;
      }
      case "term":
      case "phrase": {
        const { collection } = this.#context;
        const terms = ast.kind === "term" ? [ast.term] : ast.terms.map(({ term }) => term);
        const [docCount, ...docFreqs] = await Promise.all([
          collection.docCount(ast.field),
          ...terms.map((term) => collection.docFreq(ast.field, term)),
        ]);
        return docFreqs.reduce((sum, n) => sum + 2.2 * inverseDocFreq(n, docCount), 0);
      }
      default:
        return 0;
    }
  }
}

/** Without the variants that are further than the nearest, what differs by folding alone aside. */
function nearestOnly(facts: FuzzyFacts): FuzzyFacts {
  const end = Math.max(facts.nearest ?? 0, FOLDED) + 1;
  return { ...facts, wholes: facts.wholes.slice(0, end), begun: facts.begun.slice(0, end) };
}

function fixedSlipsOf(way: readonly CoveringReading[]): number {
  return way.reduce((slips, { reading }) => slips + (reading.slips ?? 0), 0);
}

/** Documents that hold all readings of a way without a slip. */
function withoutSlips(way: readonly CoveringReading[]): Dsl {
  return {
    bool: {
      filter: way.map(({ bySlips }) => bySlips.find(({ slips }) => slips === 0)?.filter ?? MATCH_NONE),
    },
  };
}

/**
 * Scores unit · (13 − tier), at least unit, where all readings of a way are held: two for each edit, and one where some words
 * are held but for what folding takes off.
 */
function tierOf(way: readonly CoveringReading[], unit: number): Dsl {
  const must = way.map(
    ({ bySlips }): Dsl => ({
      dis_max: { queries: bySlips.map(({ filter, slips }) => constant(filter, HELD - slips)) },
    }),
  );
  const held = HELD * way.length + SLIP * fixedSlipsOf(way);
  return scripted({ bool: { must } }, TIER, { unit, tiers: TIERS, held, slip: SLIP });
}
