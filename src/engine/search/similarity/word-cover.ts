/** Slips of a reading that a document doesn't hold. */
export const NOT_HELD = 255;

/** What an edit counts among slips, … */
export const SLIP = 16;
/** … and a word that is held but for what folding takes off: together all words of a query count less than an edit. */
export const FOLDED_SLIP = 1;

/** Tiers that slips make beside the first; slips beyond them make no difference. */
export const TIERS_MAX = 12;
/** Fewest slips of words that aren't held. */
const NEVER = 0xffff;

/** The words that a reading of a query stands for: from one to before another. */
export interface CoveredWords {
  readonly start: number;
  readonly end: number;
}

/**
 * Whether a document holds all words of a query, and with how few slips (docs/adr/0038-words-in-tiers.md). Words that no
 * document of the collection holds in any reading are left aside, unless all are needed.
 */
export class WordCover {
  readonly readings: readonly CoveredWords[];
  /** Whether a tier tells anything: at least two words that are to be held, or all needed, or nearness of one counts. */
  readonly decides: boolean;
  /** Whether every word has one reading, its own. */
  readonly #isPlain: boolean;
  /** By word: whether it has to be held. */
  readonly #isWanted: readonly boolean[];
  /** By number of words: the fewest slips with which the first so many are held. */
  readonly #least: Uint16Array;

  /**
   * @param readings those that stand for their words
   * @param occur by reading: whether any live document of the collection holds it
   * @param nearnessCounts whether it matters how near the words stand, be it to stopwords
   */
  constructor(
    wordCount: number,
    readings: readonly CoveredWords[],
    occur: readonly boolean[],
    needsAll: boolean,
    nearnessCounts: boolean,
  ) {
    const isWanted = new Array<boolean>(wordCount).fill(needsAll);
    readings.forEach(({ start, end }, i) => {
      if (occur[i]) isWanted.fill(true, start, end);
    });
    this.readings = readings;
    this.#isWanted = isWanted;
    this.#isPlain =
      readings.length === wordCount &&
      readings.every(({ start, end }, i) => start === i && end === i + 1) &&
      isWanted.every((wanted) => wanted);
    this.#least = new Uint16Array(wordCount + 1);
    const wantedCount = isWanted.filter((wanted) => wanted).length;
    this.decides = needsAll || wantedCount > 1 || (wantedCount === 1 && nearnessCounts);
  }

  /**
   * Readings of which every document holds one that holds all words: those of the word with the fewest documents.
   *
   * @param counts by reading: documents
   */
  leading(counts: readonly number[]): readonly number[] {
    let leading: number[] = [];
    let least = Number.POSITIVE_INFINITY;
    for (let word = 0; word < this.#isWanted.length; word++) {
      if (!this.#isWanted[word]) continue;
      const own = this.readings.flatMap(({ start, end }, i) => (start <= word && word < end ? [i] : []));
      const count = own.reduce((sum, reading) => sum + counts[reading]!, 0);
      if (count >= least) continue;
      least = count;
      leading = own;
    }
    return leading;
  }

  /**
   * Readings that a document holds all of which holds all words without a slip; null: it may hold others instead, or there
   * is no such document.
   *
   * @param slips by reading: those that it takes for granted
   */
  withoutSlips(slips: readonly number[]): readonly number[] | null {
    const needed: number[] = [];
    for (let word = 0; word < this.#isWanted.length; word++) {
      if (!this.#isWanted[word]) continue;
      const own = this.readings.flatMap(({ start, end }, i) =>
        start <= word && word < end && slips[i] === 0 ? [i] : [],
      );
      const reading = this.readings[own[0] ?? -1];
      if (own.length !== 1 || reading!.end > reading!.start + 1) return null;
      needed.push(own[0]!);
    }
    return needed;
  }

  /**
   * The fewest slips with which a document holds all words; -1: it doesn't.
   *
   * @param slips by reading: the document's, or `NOT_HELD`
   */
  slipsOf(slips: Uint8Array): number {
    return this.#isPlain ? this.#sum(slips) : this.#fewest(slips);
  }

  #sum(slips: Uint8Array): number {
    let sum = 0;
    for (let i = 0; i < this.readings.length; i++) {
      if (slips[i] === NOT_HELD) return -1;
      sum += slips[i]!;
    }
    return sum;
  }

  #fewest(slips: Uint8Array): number {
    const least = this.#least;
    const wordCount = least.length - 1;
    least.fill(NEVER, 1);
    for (let word = 0; word < wordCount; word++) {
      const before = least[word]!;
      if (before === NEVER) continue;
      if (!this.#isWanted[word]) least[word + 1] = Math.min(least[word + 1]!, before);
      for (let i = 0; i < this.readings.length; i++) {
        const { start, end } = this.readings[i]!;
        if (start !== word || slips[i] === NOT_HELD) continue;
        least[end] = Math.min(least[end]!, before + slips[i]!);
      }
    }
    return least[wordCount] === NEVER ? -1 : least[wordCount]!;
  }
}

/**
 * What a document scores for holding all words, f32: with each edit less, and where some are held but for folding instead of
 * as they are written, by more than all that its words can score.
 *
 * @param unit f32, at least what a query's words score together
 */
export function tierScore(unit: number, slips: number): number {
  const tier = 2 * Math.floor(slips / SLIP) + (slips % SLIP === 0 ? 0 : 1);
  return Math.fround(unit * (1 + TIERS_MAX - Math.min(tier, TIERS_MAX)));
}
