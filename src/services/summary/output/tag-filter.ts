import type { TextFilter } from "./text-filter.js";

/** Names of the elements of HTML, obsolete ones included, and of SVG's and MathML's roots. */
const HTML_ELEMENTS: ReadonlySet<string> = new Set(
  [
    "a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink",
    "blockquote body br button canvas caption center cite code col colgroup data datalist dd del details dfn",
    "dialog dir div dl dt em embed fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5",
    "h6 head header hgroup hr html i iframe image img input ins isindex kbd keygen label legend li link",
    "listing main map mark marquee math menu menuitem meta meter nav nobr noembed noframes noscript object",
    "ol optgroup option output p param picture plaintext portal pre progress q rb rp rt rtc ruby s samp",
    "script search section select slot small source spacer span strike strong style sub summary sup svg",
    "table tbody td template textarea tfoot th thead time title tr track tt u ul use var video wbr xmp",
  ]
    .join(" ")
    .split(" "),
);

/** Characters from `<` to `>`; what is longer is text. */
const TAG_LENGTH_MAX = 1024;

const AUTOLINK = /^<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*)>$/;
const ELEMENT = /^<\/?([A-Za-z][A-Za-z0-9-]*)(?=[\s/>])/;

/**
 * Takes HTML out of a text and leaves what is between the tags. An address in angle brackets loses the
 * brackets. Any other `<` that could begin a tag gets a space behind it and so begins none.
 */
export class TagFilter implements TextFilter {
  #pending = "";

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
      const open = text.indexOf("<", at);
      out += text.slice(at, open < 0 ? text.length : open);
      at = open < 0 ? text.length : open;
      if (open < 0 || (open + 1 === text.length && !isEnd)) break;
      if (!/[A-Za-z/!?]/.test(text[open + 1] ?? "")) {
        out += "<";
        at = open + 1;
        continue;
      }
      const begun = text.slice(open, open + TAG_LENGTH_MAX);
      const length = begun.indexOf(">") + 1;
      if (length === 0 && !isEnd && begun.length < TAG_LENGTH_MAX) break;
      const content = contentOf(begun.slice(0, length));
      out += content ?? "< ";
      at = open + (content === null ? 1 : length);
    }
    this.#pending = text.slice(at);
    return out;
  }
}

/** What is left of a tag; null if it is none. */
function contentOf(tag: string): string | null {
  if (/^<[!?]/.test(tag)) return "";
  const address = AUTOLINK.exec(tag)?.[1];
  if (address !== undefined) return address;
  const name = ELEMENT.exec(tag)?.[1]?.toLowerCase();
  if (name === undefined || !(HTML_ELEMENTS.has(name) || name.includes("-"))) return null;
  return name === "br" ? "\n" : "";
}
