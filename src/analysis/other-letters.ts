/** Letters that are written as two where a keyboard lacks them, or names have kept the older spelling. */
const AS_TWO: ReadonlyMap<string, string> = new Map([
  ["ä", "ae"],
  ["ö", "oe"],
  ["ü", "ue"],
  ["å", "aa"],
  ["æ", "ae"],
  ["ø", "oe"],
]);

const ONE = /[äöüåæø]/g;
/** Behind a vowel or a q the two are letters of their own, as in `neue` and `queue`. */
const TWO = /(?<![aeiouyq])(?:ae|oe|ue|aa)(?![aeiou])/g;

const GERMAN: ReadonlyMap<string, string> = new Map([
  ["ae", "ä"],
  ["oe", "ö"],
  ["ue", "ü"],
]);
const NORDIC: ReadonlyMap<string, string> = new Map([
  ["ae", "æ"],
  ["oe", "ø"],
  ["aa", "å"],
]);

/**
 * A word with letters as German and the languages of the north write them, for one with two letters each (`koeln`: `köln`,
 * `køln`), and the other way round; nothing for most.
 *
 * @param word normalized
 */
export function otherLetters(word: string): string[] {
  const written = [
    word.replace(ONE, (letter) => AS_TWO.get(letter)!),
    ...[GERMAN, NORDIC].map((letters) => word.replace(TWO, (two) => letters.get(two) ?? two)),
  ];
  return [...new Set(written)].filter((other) => other !== word);
}
