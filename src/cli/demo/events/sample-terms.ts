import { RandomSource, WeightedChoice } from "./random-source.js";

/** As much of a package of the sample as is searched for. */
export interface SamplePackage {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly description?: string;
}

/** What someone may look for, and what they then find. */
export interface SampleTerm {
  readonly text: string;
  /** Ids of documents, the best first. */
  readonly results: readonly string[];
  readonly count: number;
}

const TERMS_MAX = 700;
const RESULTS_MAX = 20;
const ZIPF_POWER = 0.95;
const WORD_LENGTH_MIN = 4;
/** A word of a title is looked for if so many titles have it. */
const TITLES_MIN = 4;

/** Programs that people know by name and look for first. */
const KNOWN =
  "gimp vlc blender libreoffice inkscape audacity krita thunderbird keepassxc calibre vim emacs kdenlive openttd chromium gnucash darktable wesnoth ffmpeg stellarium nginx postgresql freecad mpv octave scribus obs-studio supertux digikam dosbox nano git tmux filezilla musescore3 handbrake qgis kicad anki pidgin texlive pandoc okular ardour scummvm redis".split(
    " ",
  );

/** Wanted by many, packaged by nobody here: searches without results. */
const MISSING = [
  "photoshop",
  "spotify",
  "whatsapp desktop",
  "microsoft teams",
  "textverarbeitung",
  "tabellenkalkulation",
  "steam deck",
  "autocad",
  "traitement de texte",
  "итератор",
  "電子書籍",
];

const COMMON = new Set([
  "with",
  "from",
  "that",
  "this",
  "your",
  "based",
  "using",
  "other",
  "into",
  "over",
  "like",
  "file",
  "files",
  "tool",
  "tools",
  "system",
]);

/**
 * Terms that visitors of the sample search for: names of packages, words and pairs of words of their
 * titles, and some that find nothing, each with what it finds, as a search for documents with all words.
 */
export class SampleTerms {
  readonly #choice: WeightedChoice<SampleTerm>;
  readonly #misses: WeightedChoice<SampleTerm>;

  constructor(packages: readonly SamplePackage[], seed: number) {
    const random = new RandomSource(seed);
    const index = new WordIndex(packages);
    const words = [...index.titleWords.entries()]
      .filter(([word, titles]) => titles >= TITLES_MIN && word.length >= WORD_LENGTH_MIN && !COMMON.has(word))
      .toSorted((a, b) => b[1] - a[1])
      .map(([word]) => word);
    const others = random.shuffled(packages.map(({ name }) => name.toLowerCase()));
    const names = [...KNOWN, ...others];
    const pairs = byFrequency(packages.flatMap(({ title }) => pairsOf(title)));
    const texts = interleaved([names, words, pairs]).slice(0, TERMS_MAX);
    const terms = [...new Set(texts)].map((text) => index.search(text)).filter(({ count }) => count > 0);
    this.#choice = WeightedChoice.zipf(terms, ZIPF_POWER);
    this.#misses = WeightedChoice.zipf(
      MISSING.map((text) => ({ text, results: [], count: 0 })),
      ZIPF_POWER,
    );
  }

  /** Something that can be found. */
  draw(random: RandomSource): SampleTerm {
    return this.#choice.draw(random);
  }

  /** Something that can't. */
  drawMiss(random: RandomSource): SampleTerm {
    return this.#misses.draw(random);
  }
}

/** A slip of the finger: two letters changed places, one doubled, left out or hit beside. */
export function mistyped(text: string, random: RandomSource): string {
  if (text.length < WORD_LENGTH_MIN) return text;
  const at = 1 + random.below(text.length - 2);
  const [before, letter, after] = [text.slice(0, at), text.charAt(at), text.slice(at + 1)];
  if (letter === " " || after.startsWith(" ")) return text;
  switch (random.below(4)) {
    case 0:
      return before + after.charAt(0) + letter + after.slice(1);
    case 1:
      return before + letter + letter + after;
    case 2:
      return before + after;
    default:
      return before + random.pick([..."aeionrst"]) + after;
  }
}

class WordIndex {
  /** How many titles hold the word. */
  readonly titleWords = new Map<string, number>();
  /** By word the places of packages, and how much the word says about each. */
  readonly #places = new Map<string, Map<number, number>>();
  readonly #packages: readonly SamplePackage[];

  constructor(packages: readonly SamplePackage[]) {
    this.#packages = packages;
    for (const [place, { name, title, description = "" }] of packages.entries()) {
      for (const word of new Set(wordsOf(title))) {
        this.titleWords.set(word, (this.titleWords.get(word) ?? 0) + 1);
      }
      this.#add(place, wordsOf(name), 8);
      this.#add(place, wordsOf(title), 4);
      this.#add(place, wordsOf(description), 1);
    }
  }

  search(text: string): SampleTerm {
    const [first, ...others] = wordsOf(text).map(
      (word) => this.#places.get(word) ?? new Map<number, number>(),
    );
    const found = [...(first ?? [])]
      .filter(([place]) => others.every((places) => places.has(place)))
      .map(([place, weight]) => ({
        place,
        weight: others.reduce((sum, places) => sum + places.get(place)!, weight),
      }))
      .toSorted((a, b) => b.weight - a.weight || a.place - b.place);
    const results = found.slice(0, RESULTS_MAX).map(({ place }) => this.#packages[place]!.id);
    return { text, results, count: found.length };
  }

  #add(place: number, words: readonly string[], weight: number): void {
    for (const word of new Set(words)) {
      const places = this.#places.get(word) ?? new Map<number, number>();
      places.set(place, (places.get(place) ?? 0) + weight);
      this.#places.set(word, places);
    }
  }
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Neighbouring words of a title that say something, such as `video editor`. */
function pairsOf(title: string): readonly string[] {
  const words = wordsOf(title);
  return words
    .slice(1)
    .map((word, i) => [words[i]!, word])
    .filter((pair) => pair.every((word) => word.length >= WORD_LENGTH_MIN && !COMMON.has(word)))
    .map((pair) => pair.join(" "));
}

/** Each text once, what occurs most first. */
function byFrequency(texts: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1]).map(([text]) => text);
}

/** The first of each list, the second of each, and so on. */
function interleaved(lists: readonly (readonly string[])[]): readonly string[] {
  const longest = Math.max(...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) => lists.map((list) => list[i])).flatMap((row) =>
    row.filter((text) => text !== undefined),
  );
}
