/** Words of languages from the translations of programs that a Linux system holds (`/usr/share/locale`). */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SeededRandom } from "../setup/seeded-random.js";

const MAGIC = 0x950412de;
const WORD = /[\p{L}\p{M}]+/gu;
const LENGTH_MIN = 3;
const LENGTH_MAX = 24;
const OTHER_SCRIPTS: Readonly<Record<string, RegExp>> = {
  ar: /^[\p{Script=Arabic}\p{M}]+$/u,
  hy: /^\p{Script=Armenian}+$/u,
  ru: /^\p{Script=Cyrillic}+$/u,
  ta: /^\p{Script=Tamil}+$/u,
};
const LATIN = /^\p{Script=Latin}+$/u;
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  en: ["en_GB", "en"],
  no: ["nb", "no"],
  pt: ["pt", "pt_BR"],
};

/**
 * Words of a language's own script in any order, the same ones each time.
 *
 * @param folder of the system's translations
 */
export function wordsOfTranslations(folder: string, language: string): string[] {
  const script = OTHER_SCRIPTS[language] ?? LATIN;
  const words = new Set<string>();
  for (const name of FOLDERS[language] ?? [language]) {
    const messages = join(folder, name, "LC_MESSAGES");
    const files = existsSync(messages) ? readdirSync(messages).filter((file) => file.endsWith(".mo")) : [];
    for (const file of files) {
      for (const text of translationsOf(readFileSync(join(messages, file)))) {
        for (const [word] of text.toLowerCase().normalize("NFC").matchAll(WORD)) {
          const { length } = [...word];
          if (length >= LENGTH_MIN && length <= LENGTH_MAX && script.test(word)) words.add(word);
        }
      }
    }
  }
  const random = new SeededRandom(7);
  return [...words]
    .sort()
    .map((word) => ({ word, rank: random.next() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ word }) => word);
}

/** The texts of a catalogue of GNU gettext in the byte order of this machine. */
function translationsOf(bytes: Buffer): string[] {
  if (bytes.length < 20 || bytes.readUInt32LE(0) !== MAGIC) return [];
  const count = bytes.readUInt32LE(8);
  const table = bytes.readUInt32LE(16);
  return Array.from({ length: count }, (_, i) => {
    const start = bytes.readUInt32LE(table + 8 * i + 4);
    return bytes.toString("utf8", start, start + bytes.readUInt32LE(table + 8 * i));
  });
}
