/** The manual as data: its pages, their fenced blocks and their links. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const PROJECT: string = fileURLToPath(new URL("../..", import.meta.url));

export interface Block {
  /** What stands behind the fence, such as `json search packages`. */
  readonly info: string;
  readonly text: string;
  /** Line of the opening fence, from 1. */
  readonly line: number;
}

export interface Page {
  /** From the project's folder, such as `docs/facets.md`. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

const FENCED = /^```([^\n`]*)\n([\s\S]*?)^```$/gm;

/** Every Markdown page beside the manual's index; not those in folders below it. */
export function manualPages(): readonly Page[] {
  const names = readdirSync(new URL("docs", `file://${PROJECT}`)).filter((name) => name.endsWith(".md"));
  return names.sort().map((name) => readPage(`docs/${name}`));
}

/** @param path from the project's folder */
export function readPage(path: string): Page {
  const text = readFileSync(new URL(path, `file://${PROJECT}`), "utf8");
  const blocks = [...text.matchAll(FENCED)].map((match) => ({
    info: match[1]!.trim(),
    text: match[2]!,
    line: text.slice(0, match.index).split("\n").length,
  }));
  return { path, text, blocks };
}

/** The text without what stands in fences, where nothing is a link or a heading. */
export function proseOf(page: Page): string {
  return page.text.replace(FENCED, "");
}
