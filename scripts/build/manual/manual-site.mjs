// The manual, docs/ with what it leads to, as pages for browsers in dist/manual, which the server has at /docs; and as
// sections in one file, from which the server makes the index that answers searches in it.
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { compressFiles, filesBelow } from "../compressed-files.mjs";
import { digestOf, releaseOf, root } from "../sources.mjs";
import { manualGroups, manualPages, manualPictures } from "./manual-pages.mjs";

const FOLDER = join(root, "dist/manual");
/** Parts of the page that shows what a search found, for the server to put its findings between. */
const SEARCH_PAGE = "search-page.html";

const sources = () => [
  ...filesBelow("docs").filter((path) => /[.](md|svg|png)$/.test(path)),
  "README.md",
  "CHANGELOG.md",
  "console/public/icon.svg",
  "scripts/build/compressed-files.mjs",
  ...filesBelow("scripts/build/manual"),
];

export const manualSite = {
  name: "the manual",
  stamp: "dist/manual/.built",
  digest: () => digestOf(sources(), `marked ${releaseOf("marked")}`),
  isThere: () => existsSync(join(FOLDER, "index.html")),
  make: build,
};

async function build() {
  const { pageBody } = await import("./page-body.mjs");
  const { headingList, neighbours, pageFrame, pageList } = await import("./page-frame.mjs");
  rmSync(FOLDER, { recursive: true, force: true });
  const pages = manualPages();
  const pictures = manualPictures();
  const addressOf = (file) => {
    const page = pages.find((each) => each.file === file);
    if (page !== undefined) return page.path === "" ? "/docs" : `/docs/${page.path}`;
    if (file === "docs/openapi.json") return "/openapi.json";
    return pictures.includes(file) ? `/docs/${file.replace(/^docs\//, "")}` : null;
  };
  const groups = manualGroups().map(({ name, files }) => ({
    name,
    pages: files.map((file) => pages.find((page) => page.file === file)).filter((page) => page !== undefined),
  }));
  const inOrder = [pages[0], ...groups.flatMap((group) => group.pages)];
  const sections = [];
  for (const page of pages) {
    const body = pageBody(page, addressOf);
    const at = inOrder.indexOf(page);
    const turn = at < 0 ? "" : neighbours(inOrder[at - 1], inOrder[at + 1]);
    write(
      `${page.path === "" ? "index" : page.path}.html`,
      pageFrame({
        title: page.path === "" ? "Findling: the manual" : `${plain(page.title)} · Findling`,
        pages: pageList(groups, page.path),
        main: `<article>\n${body.html}</article>\n${turn}`,
        aside: headingList(body.sections),
      }),
    );
    // Decisions and logs are for those who follow a link to them.
    const isSearched = !/^(adr|performance-log)[/]/.test(page.path);
    for (const { anchor, heading, text } of isSearched ? body.sections : [])
      sections.push({ path: addressOf(page.file), anchor, page: page.title, heading, text });
  }
  write(
    SEARCH_PAGE,
    pageFrame({
      title: "Search · Findling",
      pages: pageList(groups, null),
      main: "{{results}}",
      query: "{{query}}",
    }),
  );
  write("sections.json", JSON.stringify(sections));
  for (const picture of pictures) copy(picture, picture.replace(/^docs\//, ""));
  copy("console/public/icon.svg", "icon.svg");
  copy("scripts/build/manual/site.css", "site.css");
  copy("scripts/build/manual/site.js", "site.js");
  // Small as pages are, the other form isn't worth as many files again.
  compressFiles("dist/manual", ["gz"]);
}

function plain(title) {
  return title.replaceAll("`", "").replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function write(name, text) {
  const path = join(FOLDER, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function copy(from, name) {
  mkdirSync(dirname(join(FOLDER, name)), { recursive: true });
  copyFileSync(join(root, from), join(FOLDER, name));
}
