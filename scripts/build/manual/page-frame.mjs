// What is around every page of the manual: search, table of contents, the pages before and behind.
import { escaped } from "./page-body.mjs";

/**
 * @param {object} parts
 * @param {string} parts.title
 * @param {string} parts.pages the navigation over all pages
 * @param {string} parts.main
 * @param {string} parts.aside what stands beside, or below on narrow screens; may be empty
 * @param {string} parts.query what was searched for
 */
export function pageFrame({ title, pages, main, aside = "", query = "" }) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="/docs/icon.svg">
<link rel="stylesheet" href="/docs/site.css">
<script src="/docs/site.js" defer></script>
</head>
<body>
<a class="skip" href="#content">To the text</a>
<header>
<a class="brand" href="/docs">Findling <span>manual</span></a>
<form role="search" action="/docs/search" method="get">
<label for="q" class="unseen">Search the manual</label>
<input id="q" name="q" type="search" value="${query}" placeholder="Search the manual" maxlength="200" autocomplete="off" spellcheck="false">
<button>Search</button>
<div id="found" hidden></div>
</form>
<a href="/docs/api">API reference</a>
</header>
<div class="frame">
<nav class="pages" aria-label="Pages"><details><summary>Pages</summary></details>
<div>
${pages}
</div></nav>
<main id="content" tabindex="-1">
${main}
</main>
${aside}
</div>
</body>
</html>
`;
}

/**
 * @param {{ name: string, pages: { path: string, title: string }[] }[]} groups
 * @param {string | null} current path of the page that is shown
 */
export function pageList(groups, current) {
  return groups
    .map(
      ({ name, pages }) =>
        `<h2>${escaped(name)}</h2>\n<ul>\n${pages.map((page) => `<li>${pageLink(page, current)}</li>`).join("\n")}\n</ul>`,
    )
    .join("\n");
}

/** The headings of a page, where it has several. */
export function headingList(sections) {
  const shown = sections.filter(({ depth, anchor }) => anchor !== "" && depth <= 3);
  if (shown.length < 3) return "";
  const items = shown.map(
    ({ depth, anchor, heading }) =>
      `<li class="depth-${depth}"><a href="#${escaped(anchor)}">${escaped(heading)}</a></li>`,
  );
  return `<aside aria-label="On this page"><h2>On this page</h2>\n<ul>\n${items.join("\n")}\n</ul></aside>`;
}

export function neighbours(before, behind) {
  if (before === undefined && behind === undefined) return "";
  const link = (page, rel, word) =>
    page === undefined
      ? "<span></span>"
      : `<a rel="${rel}" href="/docs${page.path === "" ? "" : `/${page.path}`}"><small>${word}</small> ${escaped(page.title)}</a>`;
  return `<nav class="turn" aria-label="Before and behind">${link(before, "prev", "before")}${link(behind, "next", "behind")}</nav>`;
}

function pageLink({ path, title }, current) {
  const mark = path === current ? ' aria-current="page"' : "";
  return `<a href="/docs${path === "" ? "" : `/${path}`}"${mark}>${escaped(title)}</a>`;
}
