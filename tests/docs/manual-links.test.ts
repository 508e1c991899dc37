// Properties: every relative link of the README and the manual leads to a file that is there and, behind `#`, to a
// heading of it; the manual's index names every page beside it.
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { manualPages, type Page, PROJECT, proseOf, readPage } from "./manual-pages.js";

const below = readdirSync(join(PROJECT, "docs"), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".md"))
  .map((path) => join("docs", path));
const tops = readdirSync(PROJECT).filter((name) => name.endsWith(".md"));
const others = ["bench", "examples", "packages/client"].map((folder) => `${folder}/README.md`);

function linksOf(page: Page): readonly string[] {
  const prose = proseOf(page).replace(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^()\s]+)\)/g)].map(([, link]) => link!);
}

/** As GitHub names them: lower case, punctuation gone, spaces as hyphens. */
function anchorsOf(page: Page): readonly string[] {
  const headings = [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading!);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

test.each([...tops, ...others, ...below].sort())("%s has no dead link", (path) => {
  const page = readPage(path);
  const dead = linksOf(page).filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [file = "", anchor] = link.split("#");
    const target = file === "" ? path : relative(PROJECT, join(PROJECT, dirname(path), file));
    if (!existsSync(join(PROJECT, target))) return true;
    if (anchor === undefined || statSync(join(PROJECT, target)).isDirectory()) return false;
    return !anchorsOf(readPage(target)).includes(anchor);
  });
  expect(dead).toEqual([]);
});

test("the manual's index names every page", () => {
  const named = new Set(linksOf(readPage("docs/README.md")));
  const pages = manualPages().map(({ path }) => path.slice("docs/".length));
  expect(pages.filter((name) => name !== "README.md" && !named.has(name))).toEqual([]);
});
