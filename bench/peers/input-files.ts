import { once } from "node:events";
import { createWriteStream, existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { CACHE_FOLDER, debianCorpus, lines } from "../corpus.js";
import type { PeerRow } from "./peer-query.js";
import { zipfRows } from "./zipf-corpus.js";

/** Longer words are left out: Tantivy's tokenizer drops them. */
const WORD_LENGTH_MAX = 40;
const ZIPF_SEED = 12345;

export interface InputOptions {
  readonly corpus: "debian" | "zipf";
  /** Documents of the made-up corpus. */
  readonly docs: number;
}

export interface Input {
  /** What indexes in the cache are called. */
  readonly name: string;
  readonly file: string;
  /** For reports. */
  readonly note: string;
}

export async function inputOf({ corpus, docs }: InputOptions): Promise<Input> {
  if (corpus === "zipf") return { name: `zipf-${docs}`, file: await zipfInput(docs), note: "made-up, Zipf" };
  const { file, isWhole } = await debianInput();
  return isWhole
    ? { name: "debian", file, note: "Debian's packages" }
    : {
        name: "debian-sample",
        file,
        note: "the bundled sample of Debian's packages; the whole corpus is absent",
      };
}

/** Debian's packages as rows: name, title and description as one text; installed size; debtags. */
async function debianInput(): Promise<{ readonly file: string; readonly isWhole: boolean }> {
  const { file, isWhole } = debianCorpus();
  const input = await writtenOnce(isWhole ? "debian.jsonl" : "debian-sample.jsonl", debianRows(file));
  return { file: input, isWhole };
}

/** The made-up corpus of that many documents. */
export function zipfInput(docCount: number): Promise<string> {
  return writtenOnce(`zipf-${docCount}.jsonl`, zipfRows(docCount, ZIPF_SEED));
}

async function* debianRows(file: string): AsyncGenerator<PeerRow> {
  for await (const line of lines(file)) {
    const { name, title, description, installed_size, debtags } = JSON.parse(line) as Record<string, unknown>;
    const words = fold([name, title, description ?? ""].join(" ")).split(" ");
    yield {
      t: words.filter((word) => word.length <= WORD_LENGTH_MAX).join(" "),
      n: Number(installed_size ?? 0),
      f: (debtags ?? []) as string[],
    };
  }
}

/**
 * Lower-case words of a–z and 0–9 with one space between them, so that splitting on spaces gives every engine the same
 * tokens.
 */
function fold(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, " ")
    .trim();
}

/** Writes rows as lines, unless the file is there from an earlier run. */
async function writtenOnce(name: string, rows: AsyncIterable<PeerRow> | Iterable<PeerRow>): Promise<string> {
  const folder = join(CACHE_FOLDER, "inputs");
  const file = join(folder, name);
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  process.stderr.write(`writing ${name}\n`);
  const unfinished = `${file}.${process.pid}`;
  const out = createWriteStream(unfinished);
  let pending = "";
  for await (const row of rows) {
    pending += `${JSON.stringify(row)}\n`;
    if (pending.length < 1 << 20) continue;
    if (!out.write(pending)) await once(out, "drain");
    pending = "";
  }
  out.end(pending);
  await once(out, "finish");
  renameSync(unfinished, file);
  return file;
}
