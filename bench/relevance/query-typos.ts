/** Typing errors, made at random from a seed. */

/** Shortest word that gets a typo, in letters. */
const WORD_LENGTH_MIN = 4;

const ALPHABET = "abcdefghijklmnopqrstuvwxyz";

/** Whole numbers at least 0 and below `n`. */
export interface RandomNumbers {
  below(n: number): number;
}

/**
 * The text with typos in `count` different words, or in as many as there are to choose from. Words that
 * get one are runs of at least four letters a to z that aren't stopwords, each as likely as any other.
 * A typo is one edit at a random place, the first and last letter included: a letter inserted, deleted,
 * replaced by another, or swapped with its neighbour, each kind as likely. The word always changes; it
 * may become another word.
 *
 * @param text lower case
 */
export function withTypos(
  text: string,
  count: number,
  options: { readonly isStopWord: (word: string) => boolean; readonly random: RandomNumbers },
): string {
  const { isStopWord, random } = options;
  const words = [...text.matchAll(/(?<![a-z0-9])[a-z]+(?![a-z0-9])/g)]
    .map((match) => ({ word: match[0], start: match.index }))
    .filter(({ word }) => word.length >= WORD_LENGTH_MIN && !isStopWord(word));
  const chosen: typeof words = [];
  while (chosen.length < count && words.length > 0) {
    chosen.push(...words.splice(random.below(words.length), 1));
  }
  // From the back, so that the places of earlier words stay.
  chosen.sort((a, b) => b.start - a.start);
  return chosen.reduce(
    (edited, { word, start }) =>
      edited.slice(0, start) + misspelt(word, random) + edited.slice(start + word.length),
    text,
  );
}

/** The word after one edit that changes it. */
export function misspelt(word: string, random: RandomNumbers): string {
  for (;;) {
    const edited = edit(word, random);
    if (edited !== word) return edited;
  }
}

function edit(word: string, random: RandomNumbers): string {
  const kind = random.below(4);
  const letter = ALPHABET[random.below(ALPHABET.length)]!;
  if (kind === 0) {
    const gap = random.below(word.length + 1);
    return word.slice(0, gap) + letter + word.slice(gap);
  }
  if (kind === 3) {
    const place = random.below(word.length - 1);
    return word.slice(0, place) + word[place + 1]! + word[place]! + word.slice(place + 2);
  }
  const place = random.below(word.length);
  return word.slice(0, place) + (kind === 1 ? "" : letter) + word.slice(place + 1);
}
