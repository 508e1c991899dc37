/**
 * A made-up corpus of any size: words after Zipf and Mandelbrot, independent of one another, which is
 * the worst case for skipping by block bounds (in real text words of a kind stand together).
 */
import { SeededRandom } from "../../tests/setup/seeded-random.js";
import type { PeerRow } from "./peer-query.js";

const VOCABULARY_SIZE = 500_000;
const EXPONENT = 1.05;
const SHIFT = 2.7;
/** Words of a document: uniform, 50 on average. */
const LENGTH_MIN = 40;
const LENGTH_MAX = 60;
const NUMBER_LIMIT = 2 ** 40;
/** Entries of the table that a draw starts from; any size gives the same words. */
const GUIDE_SIZE = 1 << 20;

const CONSONANTS = "bcdfghjklmnprstvwz";
const VOWELS = "aeiou";
const ENDINGS = ["n", "r", "s", "t", "l", "m"];

/** Document i depends on the seed and on i's predecessors only, so that a larger corpus begins with a smaller one. */
export function* zipfRows(count: number, seed: number, vocabularySize = VOCABULARY_SIZE): Generator<PeerRow> {
  const words = inventedWords(new SeededRandom(seed + 1), vocabularySize);
  const draw = zipfSampler(vocabularySize);
  const random = new SeededRandom(seed);
  for (let i = 0; i < count; i++) {
    const length = LENGTH_MIN + random.below(LENGTH_MAX - LENGTH_MIN + 1);
    let text = words[draw(random.next())]!;
    for (let k = 1; k < length; k++) text += ` ${words[draw(random.next())]!}`;
    yield { t: text, n: Math.floor(random.next() * NUMBER_LIMIT), f: [facetPath(random)] };
  }
}

/** Three levels: 20, 200 and 2,000 paths, the first of each commonest. */
function facetPath(random: SeededRandom): string {
  const first = Math.floor(20 * random.next() ** 2);
  const second = Math.floor(10 * random.next() ** 1.5);
  return `/a${first}/b${second}/c${random.below(10)}`;
}

/** Distinct words by rank; frequent ones are shorter. */
function inventedWords(random: SeededRandom, size: number): string[] {
  const known = new Set<string>();
  const words: string[] = [];
  while (words.length < size) {
    let syllables = 1 + Math.floor(Math.log10(words.length + 2) * 0.62 + random.next() * 1.6);
    let word = inventedWord(random, syllables);
    while (known.has(word)) word = inventedWord(random, ++syllables);
    known.add(word);
    words.push(word);
  }
  return words;
}

function inventedWord(random: SeededRandom, syllables: number): string {
  let word = "";
  for (let i = 0; i < syllables; i++) {
    word += random.pick(CONSONANTS) + random.pick(VOWELS);
    if (random.next() < 0.25) word += random.pick(ENDINGS);
  }
  return word;
}

/** Gives for a uniform number from 0 to 1 a rank from 0: the inverse of the distribution. */
function zipfSampler(size: number): (uniform: number) => number {
  const cumulative = new Float64Array(size);
  let sum = 0;
  for (let rank = 0; rank < size; rank++) {
    sum += 1 / (rank + 1 + SHIFT) ** EXPONENT;
    cumulative[rank] = sum;
  }
  for (let rank = 0; rank < size; rank++) cumulative[rank]! /= sum;
  // guide[g] is the first rank whose share reaches g / GUIDE_SIZE: the search goes on from there.
  const guide = new Uint32Array(GUIDE_SIZE);
  for (let g = 0, rank = 0; g < GUIDE_SIZE; g++) {
    while (rank < size - 1 && cumulative[rank]! < g / GUIDE_SIZE) rank++;
    guide[g] = rank;
  }
  return (uniform) => {
    let rank = guide[Math.floor(uniform * GUIDE_SIZE)]!;
    while (rank < size - 1 && cumulative[rank]! < uniform) rank++;
    return rank;
  };
}
