import {
  createReadStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createGunzip, gunzipSync, gzipSync } from "node:zlib";

const project = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Where the shared corpora are: as the environment says, else beside the project. */
export const CORPORA_FOLDER: string = process.env["FINDLING_TEST_CORPORA"] ?? project("../shared/corpora");

/**
 * The Debian corpus: 63,666 packages where the shared corpora are at hand, else the sample of a few
 * thousand that is bundled with the project.
 */
export function debianCorpus(): { readonly file: string; readonly isWhole: boolean } {
  const whole = join(CORPORA_FOLDER, "debian.jsonl.gz");
  return existsSync(whole) ? { file: whole, isWhole: true } : { file: sampleFile(), isWhole: false };
}

/** The bundled sample, which is the demonstration's, as a part of the whole corpus: with its fields and paths. */
function sampleFile(): string {
  const bundled = project("demo/packages.jsonl.gz");
  const file = join(CACHE_FOLDER, "debian-sample.jsonl.gz");
  if (existsSync(file) && statSync(file).mtimeMs > statSync(bundled).mtimeMs) return file;
  const packages = gunzipSync(readFileSync(bundled)).toString("utf8").trimEnd().split("\n");
  mkdirSync(CACHE_FOLDER, { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, gzipSync(packages.map((line) => `${inWholeCorpus(line)}\n`).join("")));
  renameSync(unfinished, file);
  return file;
}

/** A document of the bundled sample as the whole corpus has it, where nothing says when it was released. */
export function inWholeCorpus(line: string): string {
  const { section, tags, released: _, ...others } = JSON.parse(line) as Record<string, unknown>;
  return JSON.stringify({
    ...others,
    ...(section !== undefined && { section: `/section${String(section)}` }),
    ...(tags !== undefined && { debtags: tags }),
  });
}

/**
 * Folder for what benchmarks download, build and keep between runs: `FINDLING_BENCH_CACHE`, or one
 * outside the project, since indexes of a million documents are no part of it.
 */
export const CACHE_FOLDER: string =
  process.env["FINDLING_BENCH_CACHE"] ?? join(homedir(), ".cache", "findling-bench");

/** Lines of a file, unpacked if its name ends in `.gz`; empty ones left out. */
export async function* lines(file: string): AsyncGenerator<string> {
  const raw = createReadStream(file);
  const source = file.endsWith(".gz") ? raw.pipe(createGunzip()) : raw;
  for await (const line of createInterface({ input: source, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line !== "") yield line;
  }
}
