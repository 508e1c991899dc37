// The manual for the console: each page of docs/ as text, beside a list of them with their titles.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./sources.mjs";

/** Pages for those who work on Findling itself. */
const LEFT_OUT = new Set(["README.md", "performance-log.md", "benchmarks.md", "glossary.md", "relevance.md"]);

export async function consoleManual(folder) {
  const target = join(folder, "manual");
  mkdirSync(target, { recursive: true });
  const names = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md") && !LEFT_OUT.has(name));
  const pages = names.sort().map((name) => {
    const text = readFileSync(join(root, "docs", name), "utf8");
    const page = name.replace(/[.]md$/, "");
    writeFileSync(join(target, `${page}.json`), JSON.stringify({ text }));
    return { page, title: /^# (.+)$/m.exec(text)?.[1] ?? page };
  });
  writeFileSync(join(target, "pages.json"), JSON.stringify(pages));
}
