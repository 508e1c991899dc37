import type { TokenSink } from "./analyzer.js";
import { afterItem, itemEnd, possessiveEnd, sendItem, TOKEN_BYTES_MAX } from "./tokenize.js";
import { TOKEN_CLASS } from "./unicode/token-class.js";
import type { WordRules } from "./word-rules.js";
import { WORD_BYTES, type WordSink } from "./word-sink.js";

const SCRATCH_MASK = WORD_BYTES - 1;

/**
 * `tokenize` for indexing: the same words at the same positions of a normalized text, with what is only
 * indexed. Words of ASCII between separators, most of what comes, are hashed while they are read and never
 * become strings.
 *
 * @param others sends on to `sink.word`
 * @returns how many positions the text took
 */
export function readWords(text: string, sink: WordSink, others: TokenSink, rules: WordRules): number {
  const { classes } = rules;
  const bytes = sink.wordBytes;
  const factor = sink.hashFactor;
  const length = text.length;
  let position = 0;
  let index = 0;
  while (index < length) {
    const start = index;
    let unit = text.charCodeAt(index);
    let tokenClass = classes[unit]!;
    let hash = 0;
    while (tokenClass === TOKEN_CLASS.ASCII_PLAIN || tokenClass === TOKEN_CLASS.ASCII_UPPER) {
      // Capitals have the class 2, and differ from their small letters in the bit 2 << 4.
      const byte = unit | ((tokenClass & TOKEN_CLASS.ASCII_UPPER) << 4);
      bytes[(index - start) & SCRATCH_MASK] = byte;
      hash = Math.imul(hash ^ byte, factor);
      index++;
      if (index === length) {
        tokenClass = TOKEN_CLASS.SEPARATOR;
        unit = 0;
        break;
      }
      unit = text.charCodeAt(index);
      tokenClass = classes[unit]!;
    }
    // A separator of the BMP ends the word; a surrogate may be half of a letter.
    if (tokenClass === TOKEN_CLASS.SEPARATOR && (unit & 0xf800) !== 0xd800) {
      if (index > start) {
        if (index - start <= TOKEN_BYTES_MAX) sink.asciiWord(index - start, hash, position);
        position++;
        index = possessiveEnd(text, index, rules);
      } else index++;
      continue;
    }
    index = itemEnd(text, start, rules);
    position = sendItem(text, start, index, position, others, rules, true);
    index = afterItem(text, start, index, rules);
  }
  return position;
}
