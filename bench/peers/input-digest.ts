import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { SeededRandom } from "../../tests/setup/seeded-random.js";
import { lines } from "../corpus.js";
import { hashOfFiles } from "./hash-of-files.js";
import type { PeerRow } from "./peer-query.js";

/** What queries are drawn from. */
export interface InputDigest {
  readonly docCount: number;
  /** Every word with the number of documents that hold it. */
  readonly words: readonly string[];
  readonly docFreqs: readonly number[];
  /** Texts of documents drawn at random. */
  readonly texts: readonly string[];
  /** Facet paths of these documents, in the order of the texts. */
  readonly paths: readonly (readonly string[])[];
  /** Numbers of documents drawn at random, ascending. */
  readonly numbers: readonly number[];
}

const SAMPLE_SIZE = 20_000;
const SAMPLE_SEED = 99;

/** Reads the input once; the digest is kept beside it. */
export async function digestInput(input: string): Promise<InputDigest> {
  const file = `${input}.${hashOfFiles([fileURLToPath(import.meta.url)])}.digest.json`;
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")) as InputDigest;
  process.stderr.write("counting the words of the input\n");
  const random = new SeededRandom(SAMPLE_SEED);
  const counted = new Map<string, { docFreq: number; lastDoc: number }>();
  const sample: PeerRow[] = [];
  let docCount = 0;
  for await (const line of lines(input)) {
    const row = JSON.parse(line) as PeerRow;
    for (const word of row.t.split(" ")) {
      const known = counted.get(word);
      if (known === undefined) counted.set(word, { docFreq: 1, lastDoc: docCount });
      else if (known.lastDoc !== docCount) {
        known.docFreq++;
        known.lastDoc = docCount;
      }
    }
    // Reservoir sampling: every document is as likely to stay.
    if (sample.length < SAMPLE_SIZE) sample.push(row);
    else {
      const place = random.below(docCount + 1);
      if (place < SAMPLE_SIZE) sample[place] = row;
    }
    docCount++;
  }
  counted.delete("");
  const digest: InputDigest = {
    docCount,
    words: [...counted.keys()],
    docFreqs: [...counted.values()].map(({ docFreq }) => docFreq),
    texts: sample.map(({ t }) => t),
    paths: sample.map(({ f }) => f),
    numbers: sample.map(({ n }) => n).sort((a, b) => a - b),
  };
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(digest));
  renameSync(`${file}.${process.pid}`, file);
  return digest;
}
