import { TOKEN_CLASS } from "./unicode/token-class.js";
import { BMP_TOKEN_CLASSES } from "./unicode/token-classes.js";

/** What words are, as the version of an index's analysis and its settings have it. */
export interface WordRules {
  /** The class of each UTF-16 code unit that stands for itself; surrogates are separators here. */
  readonly classes: Uint8Array;
  readonly hasPictures: boolean;
  /** Whether the 's of `women's` belongs to its word. */
  readonly joinsPossessives: boolean;
  /** Whether single characters of scripts without spaces are indexed beside pairs. */
  readonly hasSingles: boolean;
  /** Whether Korean nouns are indexed beside what they are with their particles. */
  readonly stripsParticles: boolean;
  /** Whether words of Indian scripts are indexed with their nasals by signs and by consonants. */
  readonly spellsNasals: boolean;
  /** Signs that count as letters by the index's setting. */
  readonly symbols: string;
}

/** The rules of analysis version 1. */
export const FIRST_RULES: WordRules = {
  classes: BMP_TOKEN_CLASSES.map((tokenClass) =>
    tokenClass === TOKEN_CLASS.PICTURE ? TOKEN_CLASS.SEPARATOR : tokenClass,
  ),
  hasPictures: false,
  joinsPossessives: false,
  hasSingles: false,
  stripsParticles: false,
  spellsNasals: false,
  symbols: "",
};

/**
 * The rules of the versions after the first one.
 *
 * @param symbols signs of the BMP that are no letters, digits or surrogates
 */
export function wordRules(
  symbols: string,
  others: Pick<WordRules, "stripsParticles" | "spellsNasals">,
): WordRules {
  return { ...RULES, ...others, classes: withSymbols(symbols), symbols };
}

const RULES: Pick<WordRules, "hasPictures" | "joinsPossessives" | "hasSingles"> = {
  hasPictures: true,
  joinsPossessives: true,
  hasSingles: true,
};

function withSymbols(symbols: string): Uint8Array {
  if (symbols === "") return BMP_TOKEN_CLASSES;
  const classes = BMP_TOKEN_CLASSES.slice();
  for (const symbol of symbols) classes[symbol.charCodeAt(0)] = TOKEN_CLASS.WORD;
  return classes;
}
