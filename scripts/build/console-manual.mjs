// The manual for the console: each page of docs/ as the tokens of its Markdown, so that a browser draws it without
// reading Markdown or HTML, beside a list of the pages with their titles.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./sources.mjs";

/** Pages for those who work on Findling itself. */
const LEFT_OUT = new Set(["README.md", "performance-log.md", "benchmarks.md", "glossary.md", "relevance.md"]);

export async function consoleManual(folder) {
  const { Lexer } = await import("marked");
  const target = join(folder, "manual");
  mkdirSync(target, { recursive: true });
  const names = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md") && !LEFT_OUT.has(name));
  const pages = names.sort().map((name) => {
    const text = readFileSync(join(root, "docs", name), "utf8");
    const page = name.replace(/[.]md$/, "");
    writeFileSync(join(target, `${page}.json`), JSON.stringify(Lexer.lex(text).flatMap(block)));
    return { page, title: /^# (.+)$/m.exec(text)?.[1] ?? page };
  });
  writeFileSync(join(target, "pages.json"), JSON.stringify(pages));
}

/** A block as `console/panels/manual-page.tsx` draws it. */
function block(token) {
  switch (token.type) {
    case "heading":
      return [{ type: "heading", depth: token.depth, parts: token.tokens.flatMap(part) }];
    case "paragraph":
    case "text":
      return [{ type: "paragraph", parts: (token.tokens ?? [token]).flatMap(part) }];
    case "code":
      return [{ type: "code", text: token.text }];
    case "list":
      return [
        {
          type: "list",
          isOrdered: token.ordered,
          items: token.items.map((item) => item.tokens.flatMap(block)),
        },
      ];
    case "table":
      return [
        {
          type: "table",
          header: token.header.map((cell) => cell.tokens.flatMap(part)),
          rows: token.rows.map((row) => row.map((cell) => cell.tokens.flatMap(part))),
        },
      ];
    case "blockquote":
      return token.tokens.flatMap(block);
    default:
      return [];
  }
}

function part(token) {
  const inside = (token.tokens ?? []).flatMap(part);
  switch (token.type) {
    case "strong":
      return [{ type: "strong", parts: inside }];
    case "em":
      return [{ type: "em", parts: inside }];
    case "codespan":
      return [{ type: "code", text: token.text }];
    case "link":
      return [{ type: "link", href: token.href, parts: inside }];
    case "br":
      return [{ type: "text", text: "\n" }];
    // Pictures are for the pages as files.
    case "image":
      return [];
    case "escape":
    case "text":
      return inside.length > 0 ? inside : [{ type: "text", text: unescaped(token.text) }];
    default:
      return [{ type: "text", text: token.raw ?? "" }];
  }
}

/** The lexer writes the five signs of HTML as entities. */
function unescaped(text) {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}
