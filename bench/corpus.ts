import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const project = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/**
 * The Debian corpus: 63,666 packages where the shared corpora are beside the project, else the
 * sample of a few thousand that is bundled with it.
 */
export function debianCorpus(): { readonly file: string; readonly isWhole: boolean } {
  const whole = project("../shared/corpora/debian.jsonl.gz");
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
