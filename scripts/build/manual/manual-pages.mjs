// The pages of the manual: which files they are, where they are served, in which order people read them.
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { filesBelow } from "../compressed-files.mjs";
import { root } from "../sources.mjs";

const INDEX = "docs/README.md";

/** Files beside docs/ that the manual leads to. */
const OTHERS = ["README.md", "CHANGELOG.md"];

/** Where a page isn't served under its file's name: `/docs/api` is the reference that the server makes of its routes. */
const PATHS = { [INDEX]: "", "README.md": "readme", "CHANGELOG.md": "changelog", "docs/api.md": "requests" };

/**
 * @typedef {object} Page
 * @property {string} file from the project's root
 * @property {string} path below `/docs`, without a slash at either end
 * @property {string} title
 * @property {string} text in Markdown
 */

/** @returns {Page[]} the index first, then those that it names in its order, then the others */
export function manualPages() {
  const files = [...filesBelow("docs").filter((file) => file.endsWith(".md")), ...OTHERS];
  const order = [INDEX, ...linksOf(INDEX)];
  const place = (file) => (order.includes(file) ? order.indexOf(file) : order.length);
  return files
    .toSorted((one, other) => place(one) - place(other) || (one < other ? -1 : 1))
    .map((file) => {
      const text = readFileSync(join(root, file), "utf8");
      return { file, path: pathOf(file), title: /^# (.+)$/m.exec(text)?.[1] ?? file, text };
    });
}

/**
 * The manual's table of contents, as the tables of its index have it.
 *
 * @returns {{ name: string, files: string[] }[]}
 */
export function manualGroups() {
  const text = readFileSync(join(root, INDEX), "utf8");
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      name: section.slice(0, section.indexOf("\n")).trim(),
      files: [...section.matchAll(/^\| \[[^\]]+\]\(([^)#]+[.]md)\)/gm)].map(([, link]) =>
        fileOf(INDEX, link),
      ),
    }))
    .filter(({ files }) => files.length > 0);
}

/** @returns the file that a relative link of another leads to */
export function fileOf(from, link) {
  return posix.normalize(posix.join(posix.dirname(from), link));
}

/** Pictures of the pages, from the root. */
export function manualPictures() {
  const below = (folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`);
  return readdirSync(join(root, "docs"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => below(`docs/${name}`))
    .filter((path) => /[.](svg|png)$/.test(path));
}

function pathOf(file) {
  return PATHS[file] ?? file.replace(/^docs\//, "").replace(/[.]md$/, "");
}

function linksOf(file) {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(/\]\(([^()#\s]+[.]md)[^()\s]*\)/g)].map(([, link]) => fileOf(file, link));
}
