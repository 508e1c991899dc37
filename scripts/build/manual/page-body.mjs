// A page's Markdown as HTML, with what its search and its table of contents need to know of it.
import { Marked } from "marked";
import { fileOf } from "./manual-pages.mjs";
import { pictureSize } from "./picture-size.mjs";

/**
 * @typedef {object} Section what stands under one heading, up to the next
 * @property {string} anchor empty for the page's beginning
 * @property {string} heading
 * @property {number} depth of the heading
 * @property {string} text without marks
 */

/**
 * @param {import("./manual-pages.mjs").Page} page
 * @param {(file: string) => string | null} addressOf where the server has a file of the project; null: nowhere
 * @returns {{ html: string, sections: Section[] }}
 */
export function pageBody({ file, text }, addressOf) {
  const anchors = new Anchors();
  const marked = new Marked();
  const tokens = marked.lexer(text);
  const headings = new Map();
  for (const token of tokens)
    if (token.type === "heading") headings.set(token, anchors.next(plainText(token.tokens)));
  marked.use({
    renderer: {
      heading(token) {
        const { depth, tokens: parts } = token;
        const id = headings.get(token) ?? anchors.next(plainText(parts));
        return `<h${depth} id="${escaped(id)}">${this.parser.parseInline(parts)}</h${depth}>\n`;
      },
      code: codeBlock,
      table(token) {
        const cells = (row, tag) =>
          row
            .map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag.split(" ")[0]}>`)
            .join("");
        const rows = token.rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("\n");
        return `<div class="wide" tabindex="0"><table>\n<thead><tr>${cells(token.header, 'th scope="col"')}</tr></thead>\n<tbody>${rows}</tbody>\n</table></div>\n`;
      },
      link({ href, tokens: parts }) {
        const inside = this.parser.parseInline(parts);
        const address = addressOfLink(file, href, addressOf);
        // What isn't served, such as files of the project, is named and not linked.
        return address === null
          ? `<span class="file">${inside}</span>`
          : `<a href="${escaped(address)}">${inside}</a>`;
      },
      image({ href, text: description }) {
        const address = addressOfLink(file, href, addressOf);
        if (address === null) return "";
        const { width, height } = pictureSize(fileOf(file, href));
        return `<img src="${escaped(address)}" alt="${escaped(description)}" width="${width}" height="${height}" loading="lazy">`;
      },
      html({ text: written }) {
        return escaped(written);
      },
    },
  });
  return { html: marked.parser(tokens), sections: sectionsOf(tokens, headings) };
}

/** As GitHub names headings: lower case, punctuation gone, spaces as hyphens, numbered where a page has several alike. */
class Anchors {
  #used = new Map();

  next(heading) {
    const name = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, "")
      .replaceAll(" ", "-");
    const count = this.#used.get(name) ?? 0;
    this.#used.set(name, count + 1);
    return count === 0 ? name : `${name}-${count}`;
  }
}

/** @returns null for what the server doesn't have */
function addressOfLink(file, href, addressOf) {
  if (/^[a-z]+:/.test(href)) return href;
  const [path, anchor] = href.split("#");
  const address = path === "" ? "" : addressOf(fileOf(file, path));
  if (address === null) return null;
  return anchor === undefined ? address : `${address}#${anchor}`;
}

/** What is said above a block: its fence tells the tests what it is, and the reader as well. */
function codeBlock({ lang = "", text }) {
  const caption = captionOf(lang);
  const [language = ""] = lang.split(" ");
  const above = caption === null ? "" : `<figcaption>${escaped(caption)}</figcaption>`;
  return `<figure class="code">${above}<pre tabindex="0"><code class="language-${escaped(language)}">${escaped(text)}\n</code></pre></figure>\n`;
}

function captionOf(lang) {
  const [, target] = /^json search (\S+)$/.exec(lang) ?? [];
  if (target !== undefined)
    return `Body of POST ${target.startsWith("federation/") ? `/${target}` : `/index/${target}`}/search`;
  const [, index] = /^query (\S+)$/.exec(lang) ?? [];
  if (index !== undefined) return `Query strings, and how many documents of ${index} they find`;
  if (lang === "json answer") return "Answer";
  if (lang === "json refused") return "Answer, an error";
  if (lang === "http") return "Request";
  return null;
}

function sectionsOf(tokens, headings) {
  const sections = [];
  for (const token of tokens) {
    if (token.type === "heading") {
      const isTitle = token.depth === 1;
      sections.push({
        anchor: isTitle ? "" : headings.get(token),
        heading: isTitle ? "" : plainText(token.tokens),
        depth: token.depth,
        text: "",
      });
    } else if (sections.length > 0) {
      const section = sections.at(-1);
      section.text = `${section.text}\n${blockText(token)}`.trim();
    }
  }
  return sections;
}

function blockText(token) {
  switch (token.type) {
    case "code":
      return token.text;
    case "table":
      return [token.header, ...token.rows]
        .map((row) => row.map((cell) => plainText(cell.tokens)).join(" — "))
        .join("\n");
    case "list":
      return token.items.map((item) => item.tokens.map(blockText).join(" ")).join("\n");
    case "blockquote":
      return token.tokens.map(blockText).join("\n");
    case "space":
      return "";
    default:
      return token.tokens === undefined ? (token.text ?? "") : plainText(token.tokens);
  }
}

function plainText(tokens) {
  return tokens
    .map((token) =>
      token.type === "image"
        ? ""
        : token.tokens === undefined
          ? unescaped(token.text ?? "")
          : plainText(token.tokens),
    )
    .join("");
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

export function escaped(text) {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
