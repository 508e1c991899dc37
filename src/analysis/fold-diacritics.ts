/** Letters that Unicode doesn't take apart into a letter and a mark, but readers do. */
const LETTERS: ReadonlyMap<string, string> = new Map([
  ["ß", "ss"],
  ["æ", "ae"],
  ["œ", "oe"],
  ["ĳ", "ij"],
  ["þ", "th"],
  ["ð", "d"],
  ["đ", "d"],
  ["ɖ", "d"],
  ["ø", "o"],
  ["ł", "l"],
  ["ŀ", "l"],
  ["ƚ", "l"],
  ["ħ", "h"],
  ["ŧ", "t"],
  ["ı", "i"],
  ["ɨ", "i"],
  ["ʉ", "u"],
  ["ɉ", "j"],
  ["ɍ", "r"],
  ["ɏ", "y"],
  ["ƀ", "b"],
  ["ȼ", "c"],
  ["ɇ", "e"],
  ["ǥ", "g"],
  ["ƶ", "z"],
  ["ⱥ", "a"],
  ["ⱦ", "t"],
  ["ɓ", "b"],
  ["ɗ", "d"],
  ["ƙ", "k"],
  ["ƴ", "y"],
  ["ſ", "s"],
  ["ŉ", "n"],
  ["ŋ", "n"],
  ["ə", "e"],
  // Arabic alef with the sign of connection.
  ["\u0671", "\u0627"],
]);

/** Marks of no script: accents, and what else stands above, below or across a letter. */
const ACCENT = /^[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f]$/;

/** Letters that lose every accent. */
const ACCENTED =
  /^[0-9a-z\u00aa-\u024f\u0250-\u02af\u0370-\u03ff\u1d00-\u1dbf\u1e00-\u1fff\u2c60-\u2c7f\ua720-\ua7ff\uab30-\uab6f]$/;

/**
 * Cyrillic letters with an accent are letters of their own (й, ї, ў, ѓ), but for the stress marks over
 * vowels, and ё, which most texts write as е.
 */
const CYRILLIC_ACCENT = /^(?:[аеёиіоуыэюяѵ][\u0300\u0301]|е\u0308)$/;

/** Hebrew points and accents; Arabic vowel signs and marks of recitation. */
const POINT =
  /^[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u0653\u0656-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed]$/;

const POINTED = /^[\u05d0-\u05f2\u0620-\u064a\u066e-\u06d5\u06ee-\u06ff\u0750-\u077f]$/;

/** Hamza is a letter's part on waw and yeh, but on alef it is left out as often as not. */
const ALEF_WITH_HAMZA = /^\u0627[\u0654\u0655]$/;

/** The stroke that only stretches an Arabic word. */
const TATWEEL = "\u0640";

const MARK = /^\p{M}$/u;

/**
 * A token without the diacritics that its readers may leave out. Latin and Greek letters lose all
 * accents, and Latin letters with a stroke or without a dot become plain ones, ß, æ, œ and þ two.
 * Cyrillic loses stress and the dots of ё, Hebrew its points, Arabic its vowel signs and the hamza on
 * alef. Everywhere else marks stay, since they are letters there: vowel signs of India, tone marks of
 * Thailand, voicing in kana. Never longer in UTF-8; folding twice changes nothing more.
 *
 * @param token lower case, NFC
 */
export function foldDiacritics(token: string): string {
  if (isAscii(token)) return token;
  let folded = "";
  let letter = "";
  for (const character of token.replaceAll(TATWEEL, "").normalize("NFD")) {
    if (isDropped(character, letter)) continue;
    const plain = LETTERS.get(character) ?? character;
    if (!MARK.test(character)) letter = plain.slice(-1);
    folded += plain;
  }
  return folded === "" ? token : folded.normalize("NFC");
}

/**
 * A token whose diacritics are folded, with letters and digits that differ by the country alone made one:
 * Arabic and Persian yeh, kaf and heh, and the digits of all scripts. Folding twice changes nothing more.
 *
 * @param token as `foldDiacritics` gives it
 */
export function foldVariants(token: string): string {
  return token
    .replace(/[\u06cc\u06d0\u06d2]/g, "\u064a")
    .replaceAll("\u06a9", "\u0643")
    .replace(/[\u06be\u06c1\u06d5]/g, "\u0647")
    .replace(OTHER_DIGIT, digitOf);
}

/**
 * A token with letters made one that writers of Arabic mix up at the end of words: alef maksura and yeh, teh marbuta and
 * heh. Folding twice changes nothing more.
 *
 * @param token as `foldVariants` gives it
 */
export function foldArabicEndings(token: string): string {
  return token.replaceAll("\u0649", "\u064a").replace(/[\u0629\u06c3]/g, "\u0647");
}

/**
 * A token with the two signs of a nasal vowel made one, between which writers of Hindi and Gujarati choose (चाँद, चांद). A
 * nasal consonant that anusvara may stand for (हिन्दी, हिंदी) stays: only what follows tells, which is missing while a word
 * is being typed, so both words are indexed (`nasal-spellings.ts`). Folding twice changes nothing more.
 */
export function foldNasalVowels(token: string): string {
  return token.replaceAll("\u0901", "\u0902").replaceAll("\u0a81", "\u0a82");
}

/**
 * A token in hiragana where it is in katakana, as which the same word is written or typed on the way (スシ, すし). Folding
 * twice changes nothing more.
 */
export function foldKana(token: string): string {
  return token.replace(KATAKANA, (kana) =>
    String.fromCharCode(kana.charCodeAt(0) - KATAKANA_BEHIND_HIRAGANA),
  );
}

/** A token with all of this folded, as documents and queries have it under `fold_diacritics`. */
export function fold(token: string): string {
  return foldKana(foldNasalVowels(foldArabicEndings(foldVariants(foldDiacritics(token)))));
}

/** Whether a character is a mark that folding takes off some letters. */
export function isMarkToFold(character: string): boolean {
  return ACCENT.test(character) || POINT.test(character) || character === TATWEEL;
}

/** Those that have a hiragana. */
const KATAKANA = /[\u30a1-\u30f6\u30fd\u30fe]/g;
const KATAKANA_BEHIND_HIRAGANA = 0x60;

/** A digit outside ASCII. */
const OTHER_DIGIT = /(?![0-9])\p{Nd}/gu;

/** Digits of a script are ten in a row, from zero, and rows that touch are a few. */
function digitOf(digit: string): string {
  const codePoint = digit.codePointAt(0)!;
  let before = 0;
  while (IS_DIGIT.test(String.fromCodePoint(codePoint - before - 1))) before++;
  return String(before % 10);
}

const IS_DIGIT = /^\p{Nd}$/u;

function isAscii(token: string): boolean {
  for (let i = 0; i < token.length; i++) if (token.charCodeAt(i) > 0x7f) return false;
  return true;
}

/** @param letter the last one before, that the character may be a mark of */
function isDropped(character: string, letter: string): boolean {
  if (ACCENT.test(character)) return ACCENTED.test(letter) || CYRILLIC_ACCENT.test(letter + character);
  return (POINT.test(character) && POINTED.test(letter)) || ALEF_WITH_HAMZA.test(letter + character);
}
