import { createRequire } from "node:module";

const require: NodeJS.Require = createRequire(import.meta.url);

interface SnowballStemmers {
  /** @param algorithm its English name in lower case */
  newStemmer(algorithm: string): { stem(word: string): string };
}

/**
 * The package of stemmers, loaded when the first index asks for stemming: it takes some 20 ms and two
 * megabytes, which a program without stemming shouldn't pay.
 */
export function loadStemmers(): SnowballStemmers {
  return require("snowball-stemmers") as SnowballStemmers;
}
