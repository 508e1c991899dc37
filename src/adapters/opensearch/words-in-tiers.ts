import type { AstReading, QueryAst } from "../../query/query-ast.js";
import type { Collection } from "./collection.js";
import { anyOf, constant, type Dsl } from "./dsl.js";
import { type FuzzyAst, type FuzzyFacts, inverseDocFreq, slipFilters } from "./fuzzy-words.js";

type WordsAst = Extract<QueryAst, { readonly kind: "words" }>;

export interface WordsContext {
  readonly collection: Collection;
  scored(ast: QueryAst): Promise<Dsl>;
  filter(ast: QueryAst): Promise<Dsl>;
  factsOf(ast: FuzzyAst): Promise<FuzzyFacts>;
}

/** Ways in which readings may stand for all words, at most. */
const WAYS_MAX = 64;
/** What a document that holds all words has beyond the others, in the greatest scores of the readings. */
const TIERS = 13;

interface CoveringReading {
  readonly reading: AstReading;
  /** By slips which documents hold it; none if no document can. */
  readonly bySlips: readonly Dsl[];
}

/**
 * A few words in a row, documents that hold all of them first, with fewer slips before those with more
 * (docs/adr/0038-words-in-tiers.md). How near the words stand to each other is not scored here.
 */
export class WordsLowering {
  readonly #context: WordsContext;

  constructor(context: WordsContext) {
    this.#context = context;
  }

  async scored(ast: WordsAst): Promise<Dsl> {
    const scoring = ast.readings.filter(({ counts }) => counts !== "cover");
    const [queries, bounds, ways] = await Promise.all([
      Promise.all(scoring.map((reading) => this.#context.scored(reading.ast))),
      Promise.all(scoring.map((reading) => this.#scoreBound(reading.ast))),
      this.#ways(ast),
    ]);
    const sum = anyOf(queries);
    if (ways === null) return sum;
    const unit = bounds.reduce((a, b) => a + b, 0);
    const covers = ways.map((way): Dsl => {
      const fixed = way.reduce((slips, { reading }) => slips + (reading.slips ?? 0), 0);
      const share = Math.max(1, TIERS - fixed) / way.length;
      const must = way.map(
        ({ bySlips }): Dsl => ({
          dis_max: {
            queries: bySlips.map((filter, slips) => constant(filter, Math.max(0.01, share - slips))),
          },
        }),
      );
      return { bool: { must, boost: unit } };
    });
    if (covers.length === 0) return ast.needsAll === true ? { match_none: {} } : sum;
    const cover: Dsl = { dis_max: { queries: covers } };
    return ast.needsAll === true
      ? { bool: { must: [sum, cover] } }
      : { bool: { must: [sum], should: [cover] } };
  }

  async filter(ast: WordsAst): Promise<Dsl> {
    const scoring = ast.readings.filter(({ counts }) => counts !== "cover");
    const found = anyOf(await Promise.all(scoring.map((reading) => this.#context.filter(reading.ast))));
    if (ast.needsAll !== true) return found;
    const ways = (await this.#ways(ast)) ?? [];
    const covers = ways.map((way): Dsl => ({ bool: { filter: way.map(({ bySlips }) => anyOf(bySlips)) } }));
    return { bool: { filter: [found, anyOf(covers)] } };
  }

  /** The ways in which readings stand for all words that may occur; null: holding all of them means nothing. */
  async #ways({
    readings,
    needsAll: isNeeded,
  }: WordsAst): Promise<readonly (readonly CoveringReading[])[] | null> {
    const needsAll = isNeeded === true;
    const covering = await Promise.all(
      readings.filter(({ counts }) => counts !== "score").map((reading) => this.#covering(reading)),
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
    if (!needsAll && isWanted.filter((wanted) => wanted).length < 2) return null;
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
    return ways;
  }

  async #covering(reading: AstReading): Promise<CoveringReading> {
    const { ast } = reading;
    if (ast.kind === "fuzzy") return { reading, bySlips: slipFilters(ast, await this.#context.factsOf(ast)) };
    const mayOccur = await this.#mayOccur(ast);
    return { reading, bySlips: mayOccur ? [await this.#context.filter(ast)] : [] };
  }

  async #mayOccur(ast: QueryAst): Promise<boolean> {
    if (ast.kind !== "term" && ast.kind !== "phrase") return true;
    const terms = ast.kind === "term" ? [ast.term] : ast.terms.map(({ term }) => term);
    const counts = await Promise.all(terms.map((term) => this.#context.collection.docFreq(ast.field, term)));
    return counts.every((count) => count > 0);
  }

  /** The most that a reading can score. */
  async #scoreBound(ast: QueryAst): Promise<number> {
    if (ast.kind === "fuzzy") {
      const { idf, nearest, rows } = await this.#context.factsOf(ast);
      const boosts = ast.fields.reduce((sum, { boost }) => sum + boost, 0);
      const share = 1 + (ast.stem === undefined ? 0 : 0.1) + (ast.begun === undefined ? 0 : 0.8);
      const ofRows = rows === null || (nearest !== null && nearest < 2) ? 0 : 1;
      return idf * (0.1 + 2.2 * boosts * (share + ofRows));
    }
    if (ast.kind !== "term" && ast.kind !== "phrase") return 0;
    const { collection } = this.#context;
    const terms = ast.kind === "term" ? [ast.term] : ast.terms.map(({ term }) => term);
    const [docCount, ...docFreqs] = await Promise.all([
      collection.docCount(ast.field),
      ...terms.map((term) => collection.docFreq(ast.field, term)),
    ]);
    return docFreqs.reduce((sum, n) => sum + 2.2 * inverseDocFreq(n, docCount), 0);
  }
}
