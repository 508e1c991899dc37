import { TOKEN_CLASS, type TokenClass } from "./token-class.js";

/**
 * Emoji but for skin tones, and below U+2600 (arrows, marks of trade, squares as bullets) only those
 * that are drawn as pictures unless asked for otherwise.
 */
const PICTURE =
  /^(?=\p{Emoji})(?!\p{Emoji_Modifier})(?:[\u2600-\u27bf\u{1f000}-\u{1fbff}]|\p{Emoji_Presentation})$/u;

/**
 * Where the committed table comes from: asks the regular expressions of the running Node for the
 * class of every code point. Only the generator and the tests use it; analysis reads the table, so
 * that tokens don't change with Node's version of Unicode.
 */
const TESTS: readonly (readonly [RegExp, TokenClass])[] = [
  [/^[0-9a-z]$/, TOKEN_CLASS.ASCII_PLAIN],
  [/^[A-Z]$/, TOKEN_CLASS.ASCII_UPPER],
  [PICTURE, TOKEN_CLASS.PICTURE],
  [/^[^\p{L}\p{M}\p{N}]$/u, TOKEN_CLASS.SEPARATOR],
  [/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u, TOKEN_CLASS.EAST_ASIAN],
  [/^\p{Script=Thai}$/u, TOKEN_CLASS.THAI],
  [/^\p{Script=Lao}$/u, TOKEN_CLASS.LAO],
  [/^\p{Script=Khmer}$/u, TOKEN_CLASS.KHMER],
  [/^\p{Script=Myanmar}$/u, TOKEN_CLASS.MYANMAR],
  [/^(?=[\p{Script=Common}\p{Script=Inherited}])\p{M}$/u, TOKEN_CLASS.EXTEND],
  // The prolonged sound mark, repeat marks and the like, which Han and the two kana share.
  [
    /^(?=\p{Script=Common})(?=\p{L})[\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}]$/u,
    TOKEN_CLASS.EAST_ASIAN,
  ],
];

const CODE_POINT_MAX = 0x10_ffff;

/** The class of a code point by the running Node's Unicode data. Surrogates are separators. */
export function classifyCodePoint(codePoint: number): TokenClass {
  const character = String.fromCodePoint(codePoint);
  for (const [pattern, tokenClass] of TESTS) if (pattern.test(character)) return tokenClass;
  return TOKEN_CLASS.WORD;
}

/**
 * Every run of code points of one class but separators, ascending, as gap, class and length, then a
 * space: the gap since the end of the last run and the length in base 36 (lower case), the class as a
 * capital letter (A is 0).
 */
function encodeTokenClasses(): string {
  let encoded = "";
  let lastEnd = 0;
  for (let start = 0; start <= CODE_POINT_MAX; ) {
    const tokenClass = classifyCodePoint(start);
    let end = start + 1;
    while (end <= CODE_POINT_MAX && classifyCodePoint(end) === tokenClass) end++;
    if (tokenClass !== TOKEN_CLASS.SEPARATOR) {
      encoded += `${(start - lastEnd).toString(36)}${String.fromCharCode(65 + tokenClass)}${(end - start).toString(36)} `;
      lastEnd = end;
    }
    start = end;
  }
  return encoded;
}

/** The text of `token-class-ranges.ts`, which says how to run this. */
export function tokenClassRangesModule(unicodeVersion: string): string {
  const lines = encodeTokenClasses().match(/.{1,100}/g) ?? [];
  return [
    "// Generated. To bring it up to a newer Unicode (and raise the analyzer's version):",
    "// npx tsx -e \"import('./src/analysis/unicode/classify-code-points.ts').then((m) =>",
    '//   process.stdout.write(m.tokenClassRangesModule(process.versions.unicode)))" > src/analysis/unicode/token-class-ranges.ts',
    "",
    `export const TOKEN_CLASSES_UNICODE_VERSION = "${unicodeVersion}";`,
    "",
    "/** Runs of code points of one class; format: `encodeTokenClasses`. */",
    "export const TOKEN_CLASS_RANGES: string = [",
    ...lines.map((line) => `  "${line}",`),
    '].join("");',
    "",
  ].join("\n");
}
