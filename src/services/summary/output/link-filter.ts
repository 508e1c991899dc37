import type { KnownAddresses } from "./known-addresses.js";
import type { TextFilter } from "./text-filter.js";

/** From a bracket to the one that closes it. */
const LABEL_LENGTH_MAX = 512;
/** From the parenthesis behind a label to the one that closes it; of a definition's address. */
const TARGET_LENGTH_MAX = 2048;

interface Link {
  readonly label: string;
  readonly address: string;
  /** Offset behind it. */
  readonly end: number;
}

/**
 * Markdown's links and images: those that lead to an address of the documents stay, of the others the text
 * stays. Whatever is too long to look through, or only looks like a link once something was taken out of it,
 * gets a space between its bracket and what follows, which makes it text (CommonMark 0.31, 6.3 and 4.7).
 */
export class LinkFilter implements TextFilter {
  readonly #known: KnownAddresses;
  #pending = "";
  #lastSent = "";

  constructor(known: KnownAddresses) {
    this.#known = known;
  }

  push(text: string): string {
    this.#pending += text;
    return this.#scan(false);
  }

  end(): string {
    return this.#scan(true);
  }

  #scan(isEnd: boolean): string {
    const text = this.#pending;
    let out = "";
    let at = 0;
    for (;;) {
      const mark = nextMark(text, at);
      out += this.#sent(text.slice(at, mark));
      at = mark;
      if (at === text.length) break;
      const label = text[at] === "!" ? at + 1 : at;
      if (label === text.length && !isEnd) break;
      if (text[label] === "[") {
        const link = linkAt(text, label, isEnd);
        if (link === "incomplete") break;
        if (link !== null) {
          out += this.#sent(this.#shown(link, label > at));
          at = link.end;
          continue;
        }
      }
      if (text[at] === "]") {
        const definition = definitionAt(text, at, isEnd);
        if (definition === "incomplete") break;
        if (definition !== null && this.#known.isLinkable(definition)) {
          out += `${this.#sent("]")}:`;
          this.#lastSent = ":";
          at += 2;
          continue;
        }
      }
      out += this.#sent(text[at]!);
      at++;
    }
    this.#pending = text.slice(at);
    return out;
  }

  #shown({ label, address }: Link, isImage: boolean): string {
    const inner = new LinkFilter(this.#known);
    const shownLabel = inner.push(label) + inner.end();
    return this.#known.isLinkable(address) ? `${isImage ? "!" : ""}[${shownLabel}](${address})` : shownLabel;
  }

  /** The text as it goes out: nothing that comes together here by chance is a link. */
  #sent(text: string): string {
    if (text === "") return "";
    const isJoint = this.#lastSent === "]" && (text[0] === "(" || text[0] === ":");
    this.#lastSent = text.at(-1)!;
    return isJoint ? ` ${text}` : text;
  }
}

/** Offset of the next bracket, or of an exclamation mark that an image may begin with; else the text's length. */
function nextMark(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === "[" || char === "]") return at;
    if (char === "!" && (at + 1 === text.length || text[at + 1] === "[")) return at;
  }
  return text.length;
}

/** The inline link whose label's bracket is there; null if there is none. */
function linkAt(text: string, open: number, isEnd: boolean): Link | null | "incomplete" {
  const close = closingOf(text, open, { opening: "[", closing: "]", lengthMax: LABEL_LENGTH_MAX, isEnd });
  if (typeof close !== "number") return close;
  if (close + 1 === text.length) return isEnd ? null : "incomplete";
  if (text[close + 1] !== "(") return null;
  const options = { opening: "(", closing: ")", lengthMax: TARGET_LENGTH_MAX, isEnd };
  const end = closingOf(text, close + 1, options);
  if (typeof end !== "number") return end;
  // A title may follow the address; it goes.
  const [address = ""] = text
    .slice(close + 2, end)
    .trim()
    .split(/\s/);
  return { label: text.slice(open + 1, close), address, end: end + 1 };
}

/** The address of the definition whose label ends there; null if there is none. */
function definitionAt(text: string, bracket: number, isEnd: boolean): string | null | "incomplete" {
  if (bracket + 1 === text.length) return isEnd ? null : "incomplete";
  if (text[bracket + 1] !== ":") return null;
  const behind = text.slice(bracket + 2, bracket + 2 + TARGET_LENGTH_MAX);
  const match = /^\s*(\S+)(?=\s)/.exec(behind);
  if (match !== null) return match[1]!;
  if (behind.length === TARGET_LENGTH_MAX) return null;
  return isEnd ? behind.trim() : "incomplete";
}

/** Offset of what closes the bracket at `open`; escaped ones don't count, and no blank line is crossed. */
function closingOf(
  text: string,
  open: number,
  options: {
    readonly opening: string;
    readonly closing: string;
    readonly lengthMax: number;
    readonly isEnd: boolean;
  },
): number | null | "incomplete" {
  const { opening, closing, lengthMax, isEnd } = options;
  const last = Math.min(text.length, open + lengthMax);
  let depth = 0;
  for (let at = open; at < last; at++) {
    const char = text[at];
    if (char === "\\") at++;
    else if (char === opening) depth++;
    else if (char === closing && --depth === 0) return at;
    else if (char === "\n" && /^\n[ \t]*\n/.test(text.slice(at, at + 80))) return null;
  }
  return isEnd || text.length - open >= lengthMax ? null : "incomplete";
}
