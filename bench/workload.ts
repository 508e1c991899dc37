/**
 * Turns a corpus into a neutral input file that every engine reads, and a seeded list of queries.
 * Text is folded here (no accents, lower case, only a–z and 0–9, one space between words), so that
 * every engine sees the same tokens by splitting on spaces and counts can be compared exactly.
 */
import { once } from "node:events";
import { createReadStream, createWriteStream, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import { SeededRandom } from "../tests/setup/seeded-random.js";

export interface WorkloadSpec {
  readonly name: string;
  readonly id: string;
  readonly fields: readonly { readonly name: string; readonly weight: number }[];
  readonly sort: string;
  readonly range: string;
  readonly facet: string;
}

/** One line of the input file. */
export interface WorkloadRow {
  readonly id: string;
  /** Folded text of each field. */
  readonly t: readonly string[];
  /** Number to sort by, number to range over. */
  readonly n: number;
  readonly m: number;
  readonly f: readonly string[];
}

export interface WorkloadQuery {
  readonly kind: string;
  readonly terms: readonly string[];
  readonly k: number;
  readonly facet?: string;
  readonly lo?: number;
  readonly hi?: number;
  readonly from?: string;
}

export interface Workload {
  readonly name: string;
  readonly input: string;
  readonly docs: number;
  readonly vocabulary: number;
  readonly seed: number;
  readonly fields: WorkloadSpec["fields"];
  readonly queries: readonly WorkloadQuery[];
}

export interface WorkloadOptions {
  readonly seed: number;
  readonly perKind: number;
  readonly limit?: number;
}

/** Documents kept to draw words from that occur together. */
const SAMPLE_SIZE = 20_000;

/** Writes `input.jsonl` and `workload.json` into `outFolder`. */
export async function makeWorkload(
  spec: WorkloadSpec,
  corpusFile: string,
  outFolder: string,
  options: WorkloadOptions,
): Promise<Workload> {
  mkdirSync(outFolder, { recursive: true });
  const random = new SeededRandom(options.seed);
  const docFreq = new Map<string, number>();
  const facetFreq = new Map<string, number>();
  const sample: WorkloadRow[] = [];
  const rangeValues: number[] = [];
  let docs = 0;
  const input = join(outFolder, "input.jsonl");
  const out = createWriteStream(input);
  for await (const line of lines(corpusFile)) {
    if (docs >= (options.limit ?? Number.POSITIVE_INFINITY)) break;
    const row = toRow(spec, JSON.parse(line) as Record<string, unknown>);
    if (!out.write(`${JSON.stringify(row)}\n`)) await once(out, "drain");
    for (const word of new Set(row.t.join(" ").split(" "))) {
      if (word !== "") docFreq.set(word, (docFreq.get(word) ?? 0) + 1);
    }
    for (const facet of row.f) facetFreq.set(facet, (facetFreq.get(facet) ?? 0) + 1);
    rangeValues.push(row.m);
    if (sample.length < SAMPLE_SIZE) sample.push(row);
    else {
      const at = random.below(docs + 1);
      if (at < SAMPLE_SIZE) sample[at] = row;
    }
    docs++;
  }
  out.end();
  await once(out, "finish");

  rangeValues.sort((a, b) => a - b);
  const draw = new QueryDrawer(random, docs, docFreq, facetFreq, sample, rangeValues);
  const queries: WorkloadQuery[] = [];
  for (const [kind, make] of draw.kinds()) {
    for (let i = 0; i < options.perKind; i++) queries.push({ kind, k: 10, ...make() });
  }
  const workload: Workload = {
    name: spec.name,
    input,
    docs,
    vocabulary: docFreq.size,
    seed: options.seed,
    fields: spec.fields,
    queries,
  };
  writeFileSync(join(outFolder, "workload.json"), JSON.stringify(workload, null, 1));
  return workload;
}

/** Lines of a file, unpacked if its name ends in `.gz`; empty ones left out. */
export async function* lines(file: string): AsyncGenerator<string> {
  const raw = createReadStream(file);
  const source = file.endsWith(".gz") ? raw.pipe(createGunzip()) : raw;
  for await (const line of createInterface({ input: source, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line !== "") yield line;
  }
}

function toRow(spec: WorkloadSpec, document: Record<string, unknown>): WorkloadRow {
  const facets = document[spec.facet] ?? [];
  return {
    id: String(document[spec.id]),
    t: spec.fields.map((field) => fold(String(document[field.name] ?? ""))),
    n: Math.trunc(Number(document[spec.sort] ?? 0)),
    m: Math.trunc(Number(document[spec.range] ?? 0)),
    f: (Array.isArray(facets) ? facets : [facets]) as string[],
  };
}

/** Lower-case words of a–z and 0–9 with one space between them. */
export function fold(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, " ")
    .trim();
}

type DrawnQuery = Omit<WorkloadQuery, "kind" | "k">;

/** Draws queries of each kind from what the corpus holds. */
class QueryDrawer {
  readonly #random: SeededRandom;
  readonly #docs: number;
  readonly #docFreq: ReadonlyMap<string, number>;
  readonly #sample: readonly WorkloadRow[];
  readonly #rangeValues: readonly number[];
  readonly #words: (readonly [string, number])[];
  readonly #facets: string[];

  constructor(
    random: SeededRandom,
    docs: number,
    docFreq: ReadonlyMap<string, number>,
    facetFreq: ReadonlyMap<string, number>,
    sample: readonly WorkloadRow[],
    rangeValues: readonly number[],
  ) {
    this.#random = random;
    this.#docs = docs;
    this.#docFreq = docFreq;
    this.#sample = sample;
    this.#rangeValues = rangeValues;
    this.#words = [...docFreq].filter(([word]) => /^[a-z]{3,}$/.test(word));
    this.#facets = [...facetFreq].filter(([, count]) => count >= docs * 0.002).map(([facet]) => facet);
  }

  kinds(): [string, () => DrawnQuery][] {
    const docs = this.#docs;
    const high = this.#between(docs * 0.01, docs * 0.25);
    const middle = this.#between(docs * 0.0005, docs * 0.01).filter((word) => word.length >= 6);
    const low = this.#between(3, Math.max(20, docs * 0.00005));
    const one = (words: string[]) => (): DrawnQuery => ({ terms: [this.#random.pick(words)] });
    return [
      ["term_high", one(high)],
      ["term_low", one(low)],
      ["and2", () => ({ terms: this.#together(2) })],
      ["or3", () => ({ terms: this.#together(3) })],
      ["phrase", () => ({ terms: this.#phrase() })],
      ["fuzzy1", () => this.#typo(1)],
      ["fuzzy2", () => this.#typo(2)],
      ["prefix", () => ({ terms: [this.#random.pick(middle).slice(0, 4)] })],
      ["filter", () => ({ terms: [this.#random.pick(high)], facet: this.#random.pick(this.#facets) })],
      ["range", () => ({ terms: [this.#random.pick(high)], ...this.#range() })],
      ["sort", one(high)],
      ["facet", one(high)],
    ];
  }

  #between(low: number, high: number): string[] {
    return this.#words.filter(([, count]) => count >= low && count <= high).map(([word]) => word);
  }

  /** Words that occur in one document. */
  #together(count: number): string[] {
    for (;;) {
      const words = [...new Set(this.#random.pick(this.#sample).t.join(" ").split(" "))].filter((word) => {
        const docFreq = this.#docFreq.get(word) ?? 0;
        return /^[a-z]{3,}$/.test(word) && docFreq >= this.#docs * 0.0005 && docFreq <= this.#docs * 0.25;
      });
      if (words.length < count + 2) continue;
      const chosen = new Set<string>();
      while (chosen.size < count) chosen.add(this.#random.pick(words));
      return [...chosen];
    }
  }

  #phrase(): string[] {
    for (;;) {
      const words = this.#random.pick(this.#random.pick(this.#sample).t).split(" ");
      const count = 2 + this.#random.below(2);
      if (words.length < count + 1) continue;
      const start = this.#random.below(words.length - count + 1);
      const phrase = words.slice(start, start + count);
      if (phrase.some((word) => word.length > 3 && (this.#docFreq.get(word) ?? 0) < this.#docs * 0.02))
        return phrase;
    }
  }

  /** A word of the corpus with random edits that make it no word of the corpus. */
  #typo(edits: number): DrawnQuery {
    const words = this.#between(10, this.#docs * 0.05).filter((word) => word.length >= 5);
    for (;;) {
      const from = this.#random.pick(words);
      let word = from;
      for (let i = 0; i < edits; i++) word = this.#edit(word);
      if (word.length >= 4 && !this.#docFreq.has(word)) return { terms: [word], from };
    }
  }

  #edit(word: string): string {
    const at = this.#random.below(word.length);
    const letter = (): string => this.#random.pick("abcdefghijklmnopqrstuvwxyz");
    switch (this.#random.below(3)) {
      case 0:
        return word.slice(0, at) + word.slice(at + 1);
      case 1:
        return word.slice(0, at) + letter() + word.slice(at + 1);
      default:
        return word.slice(0, at) + letter() + word.slice(at);
    }
  }

  #range(): { lo: number; hi: number } {
    const width = 0.1 + this.#random.next() * 0.4;
    const from = this.#random.next() * (1 - width);
    const docs = this.#docs;
    return {
      lo: this.#rangeValues[Math.floor(from * docs)]!,
      hi: this.#rangeValues[Math.floor((from + width) * (docs - 1))]!,
    };
  }
}
