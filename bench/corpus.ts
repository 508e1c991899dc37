import { existsSync } from "node:fs";
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

/** Folder for what benchmarks download, build and keep between runs. Not committed. */
export const CACHE_FOLDER: string = project(".cache/bench");
