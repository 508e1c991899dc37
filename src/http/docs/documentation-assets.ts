/** Sends a form's request from the page's own origin and shows the answer as text. */
export const PAGE_SCRIPT = `"use strict";
document.addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  const output = form.querySelector("output");
  const values = new FormData(form);
  const path = form.dataset.path.replace(/:([a-z_]+)/g, (_, name) => encodeURIComponent(values.get(name)));
  const query = new URLSearchParams();
  for (const [name, value] of values) {
    if (name.startsWith("?") && value !== "") query.append(name.slice(1), value);
  }
  const url = query.size === 0 ? path : path + "?" + query;
  const headers = {};
  const key = document.getElementById("key").value.trim();
  if (key !== "") headers.Authorization = key;
  const body = values.get("body");
  if (body !== null) headers["Content-Type"] = "application/json";
  output.textContent = "…";
  const start = performance.now();
  try {
    const response = await fetch(url, { method: form.dataset.method, headers, ...(body !== null && { body }) });
    const text = await response.text();
    const duration = Math.round(performance.now() - start);
    output.textContent = response.status + " in " + duration + " ms\\n" + pretty(text);
  } catch (error) {
    output.textContent = "No answer: " + error.message;
  }
});
function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
addEventListener("hashchange", openTarget);
openTarget();
function openTarget() {
  const target = document.getElementById(location.hash.slice(1));
  if (target instanceof HTMLDetailsElement) target.open = true;
}
`;

export const PAGE_STYLE = `:root { color-scheme: light dark; --text: #1d2129; --ground: #fff; --edge: #d5dae1; --accent: #1f5fa6; --soft: #f4f6f8; --warning: #a8330a; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e7ec; --ground: #14171c; --edge: #363d48; --accent: #86b8ee; --soft: #1e232a; --warning: #ff9d76; } }
* { box-sizing: border-box; }
body { max-width: 60rem; margin: 0 auto; padding: 1rem; font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--ground); overflow-wrap: anywhere; }
a { color: var(--accent); }
nav { display: flex; flex-wrap: wrap; gap: 1rem; }
h1 small, .hint { font-size: .8rem; font-weight: normal; }
h2 { margin-top: 2rem; }
h3 { margin-bottom: .25rem; font-size: 1rem; }
details { border: 1px solid var(--edge); border-radius: .5rem; margin: .5rem 0; padding: 0 1rem; }
details[open] { padding-bottom: 1rem; }
summary { cursor: pointer; padding: .6rem 0; overflow-wrap: anywhere; }
.method { display: inline-block; min-width: 4.5rem; font: bold .85rem ui-monospace, monospace; color: var(--accent); }
.DELETE { color: var(--warning); }
pre, output { display: block; overflow: auto; max-height: 30rem; padding: .75rem; background: var(--soft); border-radius: .25rem; font: .85rem/1.45 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
output:empty { display: none; }
form label { display: block; margin: .5rem 0; }
input, textarea { font: .9rem ui-monospace, monospace; padding: .35rem; max-width: 100%; }
textarea { display: block; width: 100%; }
button { font: inherit; padding: .35rem 1.25rem; cursor: pointer; }
ul { columns: 3 14rem; padding-left: 1.25rem; }
`;
