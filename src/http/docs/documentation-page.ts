import type { RouteRow, RouteTag } from "../../contract/route-table.js";
import { statusOf } from "../answers/error-answer.js";
import { escapedHtml } from "./escaped-html.js";
import { accessSentence, errorCodesOf } from "./open-api-operation.js";
import { type SchemaNode, schemaExample, schemaOutline } from "./schema-outline.js";

/** The page that explains every route and tries it out; whole without scripts, but for trying. */
export function documentationPage(rows: readonly RouteRow[], version: string): string {
  const tags = [...new Set(rows.map((row) => row.tag))];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Findling API</title>
<link rel="icon" href="/docs/icon.svg">
<link rel="stylesheet" href="/docs/page.css">
<script src="/docs/page.js" defer></script>
</head>
<body>
<header>
<p><a href="/docs">The manual</a></p>
<h1>Findling API <small>${escapedHtml(version)}</small></h1>
<p>Every success answers <code>{"status":200,"data":…}</code>, every error
<code>{"status":…,"message":…,"data":{…}}</code>. For programs: <a href="/openapi.json">openapi.json</a>.</p>
<p><label>Access key for trying out <input id="key" type="password" autocomplete="off" spellcheck="false" size="44"></label>
<span class="hint">stays in this page, and is gone when you close it</span></p>
<nav>${tags.map((tag) => `<a href="#${tag}">${tag}</a>`).join(" ")}</nav>
</header>
<main>
${tags.map((tag) => section(tag, rows)).join("\n")}
</main>
</body>
</html>
`;
}

function section(tag: RouteTag, rows: readonly RouteRow[]): string {
  const own = rows.filter((row) => row.tag === tag);
  return `<section aria-labelledby="${tag}"><h2 id="${tag}">${tag}</h2>\n${own.map(operation).join("\n")}\n</section>`;
}

function operation(row: RouteRow): string {
  return `<details id="${row.operationId}">
<summary><span class="method ${row.method}">${row.method}</span> <code>${escapedHtml(row.path)}</code> <span>${sentenceHtml(row.summary)}</span></summary>
<p>${escapedHtml(accessSentence(row))}</p>
${row.body === null ? "" : `<h3>Body</h3>\n<pre>${escapedHtml(schemaOutline(row.body as SchemaNode))}</pre>`}
<h3>Answer: <code>data</code></h3>
<pre>${escapedHtml(schemaOutline(row.answer as SchemaNode))}</pre>
<pre>${escapedHtml(json(schemaExample(row.answer as SchemaNode)))}</pre>
<h3>Errors</h3>
<ul>${errorItems(row)}</ul>
${tryForm(row)}
</details>`;
}

function errorItems(row: RouteRow): string {
  return errorCodesOf(row)
    .toSorted((left, right) => statusOf(left) - statusOf(right))
    .map((code) => `<li>${statusOf(code)} <code>${code}</code></li>`)
    .join("");
}

function tryForm(row: RouteRow): string {
  const inputs = [...row.path.matchAll(/:([a-z_]+)/g)].map(
    ([, name]) =>
      `<label>${name} <input name="${name}" autocomplete="off" spellcheck="false" required></label>`,
  );
  for (const name of queryNames(row)) {
    inputs.push(`<label>?${name} <input name="?${name}" autocomplete="off" spellcheck="false"></label>`);
  }
  const example = row.body === null ? "" : json(schemaExample(row.body as SchemaNode));
  const body =
    row.body === null
      ? ""
      : `<label>body <textarea name="body" rows="${Math.min(example.split("\n").length, 20)}" spellcheck="false">${escapedHtml(example)}</textarea></label>`;
  return `<h3>Try it</h3>
<form data-method="${row.method}" data-path="${escapedHtml(row.path)}">
${inputs.join("\n")}
${body}
<button>Send</button>
<output aria-live="polite"></output>
</form>`;
}

/** Members of the URL's query. */
function queryNames(row: RouteRow): string[] {
  return Object.keys((row.query as SchemaNode | undefined)?.properties ?? {});
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** A sentence whose names of members and so on stand between backticks. */
function sentenceHtml(sentence: string): string {
  return escapedHtml(sentence).replace(/`([^`]+)`/g, "<code>$1</code>");
}
