import { createReadStream, existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createGunzip } from "node:zlib";

const project = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Where the shared corpora are: as the environment says, else beside the project. */
export const CORPORA_FOLDER: string = process.env["FINDLING_TEST_CORPORA"] ?? project("../shared/corpora");

/**
 * The Debian corpus: 63,666 packages where the shared corpora are at hand, else the sample of a few
 * thousand that is bundled with the project.
 */
export function debianCorpus(): { readonly file: string; readonly isWhole: boolean } {
  const whole = join(CORPORA_FOLDER, "debian.jsonl.gz");
  return existsSync(whole)
    ? { file: whole, isWhole: true }
    : { file: project("demo/packages.jsonl.gz"), isWhole: false };
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
