import { foldedLetters } from "../../analysis/folded-likeness.js";

/** Where letters are that folding changes, all in the forms in which words are indexed. */
const RANGES: readonly (readonly [number, number])[] = [
  [0x80, 0x58f],
  [0x590, 0x6ff],
  [0x900, 0xd7f],
  [0x1d00, 0x1fff],
  [0x2c60, 0x2c7f],
  [0x3041, 0x30ff],
  [0xa720, 0xa7ff],
];

/** Marks that stand on letters of Hebrew and Arabic alone. */
const POINTS = "[\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]*";
const IS_POINTED = /[\u05d0-\u05f2\u0620-\u06d5]/;

/** A longer expression isn't taken by the cluster. */
const EXPRESSION_MAX = 1_000;

const SIGNS = /[^\p{L}\p{M}\p{N}]/gu;

/** By folded letters, one or two: the letters that fold to them; made when they are first asked for, once. */
let families: ReadonlyMap<string, readonly string[]> | null = null;

/**
 * A regular expression of Lucene that finds what is a word but for what folding takes off, however many letters that changes;
 * words that it finds besides are told by `FoldedLikeness`. Null: it would be too long.
 *
 * @param word normalized
 */
export function foldedSpellings(word: string): string | null {
  families ??= madeFamilies();
  const letters = foldedLetters(word).map((letter) => String.fromCodePoint(letter));
  let expression = "";
  for (let at = 0; at < letters.length; ) {
    const [one, two] = [letters[at]!, letters[at + 1]];
    const asTwo = two === undefined ? undefined : families.get(one + two);
    if (asTwo === undefined) {
      expression += anyOf([one, ...(families.get(one) ?? [])]);
      at++;
    } else {
      const each = [one, two!].map((letter) => anyOf([letter, ...(families!.get(letter) ?? [])])).join("");
      expression += `(${[each, ...asTwo].join("|")})`;
      at += 2;
    }
    if (IS_POINTED.test(one)) expression += POINTS;
  }
  return expression.length > EXPRESSION_MAX ? null : expression;
}

function anyOf(letters: readonly string[]): string {
  const escaped = letters.map((letter) => letter.replace(SIGNS, "\\$&"));
  return escaped.length === 1 ? escaped[0]! : `(${escaped.join("|")})`;
}

function madeFamilies(): ReadonlyMap<string, readonly string[]> {
  const made = new Map<string, string[]>();
  for (const [first, last] of RANGES) {
    for (let codePoint = first; codePoint <= last; codePoint++) {
      const letter = String.fromCodePoint(codePoint);
      if (letter.toLowerCase() !== letter || letter.normalize("NFKC") !== letter) continue;
      const folded = foldedLetters(codePoint)
        .map((each) => String.fromCodePoint(each))
        .join("");
      if (folded === "" || folded === letter) continue;
      const family = made.get(folded);
      if (family === undefined) made.set(folded, [letter]);
      else family.push(letter);
    }
  }
  return made;
}
