// Builds packages.jsonl.gz from apt's own lists on Debian 12 with `appstream` installed (which lets
// apt fetch the release dates of applications):
//
//   apt-get update -o Acquire::Languages=en
//   node demo/build-demo.mjs
//
// With --lists FOLDER the lists are taken from there (apt-get update -o Dir::State::lists=FOLDER …).
// The same lists give the same file.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { parseAllDocuments } from "yaml";

const PACKAGES = 2_500;
/** No section may take more than this share, so that all of them have something to show. */
const SECTION_SHARE = 0.1;
const DESCRIPTION_LENGTH_MAX = 900;

const listsFolder = process.argv[2] === "--lists" ? process.argv[3] : undefined;
const aptOptions = [
  "-o",
  "Acquire::Languages=en",
  ...(listsFolder === undefined ? [] : ["-o", `Dir::State::lists=${listsFolder}`]),
];
const run = (command, args) => execFileSync(command, args, { maxBuffer: 1 << 30, encoding: "utf8" });
const readList = (file) => run("/usr/lib/apt/apt-helper", ["cat-file", file]);

/** apt's list files of one kind, those of the main archive before updates and security. */
function listFiles(kind) {
  const rows = run("apt-get", [
    ...aptOptions,
    "indextargets",
    "--format",
    "$(CREATED_BY)|$(RELEASE)|$(FILENAME)",
  ]);
  const rank = (release) => (/security/.test(release) ? 2 : /updates/.test(release) ? 1 : 0);
  const files = rows
    .split("\n")
    .map((row) => row.split("|"))
    .filter(([createdBy]) => createdBy === kind)
    .sort((left, right) => rank(left[1]) - rank(right[1]))
    .map(([, , file]) => file);
  if (files.length === 0) throw new Error(`apt has no list of ${kind}; see the top of this file`);
  return files;
}

/** The stanzas of a control file as objects. */
function* stanzas(text) {
  for (const block of text.split(/\n\n+/)) {
    const stanza = {};
    let name;
    for (const line of block.split("\n")) {
      if (line.startsWith(" ") || line.startsWith("\t")) stanza[name] += `\n${line}`;
      else if (line !== "") {
        const colon = line.indexOf(":");
        name = line.slice(0, colon);
        stanza[name] = line.slice(colon + 1).trim();
      }
    }
    if (name !== undefined) yield stanza;
  }
}

/** Description-md5 to short and long description. */
function readDescriptions() {
  const descriptions = new Map();
  for (const file of listFiles("Translations")) {
    for (const stanza of stanzas(readList(file))) {
      const text = stanza["Description-en"];
      if (text === undefined) continue;
      const [title, ...lines] = text.split("\n");
      const long = lines.map((line) => (line === " ." ? "" : line.slice(1))).join("\n");
      descriptions.set(stanza["Description-md5"], { title, long: withoutAddresses(joinParagraphs(long)) });
    }
  }
  return descriptions;
}

/** Lines that only wrap are joined; lists and indented lines stay. */
function joinParagraphs(text) {
  return text
    .replace(/([^\n])\n(?=[^\s*•+\-\d])/g, "$1 ")
    .replace(/[ \t]+\n/g, "\n")
    .trim();
}

/** People's mail addresses are nobody's search result. */
function withoutAddresses(text) {
  return text.replace(/<?[\w.+-]+@[\w-]+(?:\.[\w-]+)+>?/g, "(address left out)");
}

/** Package to the time of the newest release that its AppStream entry knows. */
function readReleases() {
  const releases = new Map();
  for (const file of listFiles("DEP-11")) {
    for (const document of parseAllDocuments(readList(file))) {
      const component = document.toJS();
      const times = (component?.Releases ?? [])
        .map((release) => Number(release["unix-timestamp"]))
        .filter(Boolean);
      if (component?.Package === undefined) continue;
      const known = releases.get(component.Package) ?? 0;
      releases.set(component.Package, Math.max(known, ...times));
    }
  }
  return releases;
}

/** A version that is a date, such as 20230311+dfsg-1 or 2023.03.11, tells when it was released. */
function dateInVersion(version) {
  const match =
    /^(?:\d+:)?(?:[\d.]+[+~](?:git|svn|hg|cvs|r)?)?((?:199|20[0-2])\d)([.-]?)([01]\d)\2([0-3]\d)(?!\d)/.exec(
      version,
    );
  if (match === null) return undefined;
  const day = `${match[1]}-${match[3]}-${match[4]}`;
  const time = Date.parse(day);
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== day ? undefined : time / 1000;
}

const UNWANTED =
  /^(lib|golang-|node-|ruby-|haskell-|gir1|linux-|r-cran|r-bioc|elpa-|rust-|php-|python3?-|ocaml|texlive-lang|hunspell-|aspell-|hyphen-|mythes-|task-|fonts-)|-(dev|doc|docs|dbg|dbgsym|data|common|l10n|i18n|locales?|headers|modules|plugins?|examples|bin|help)(-|$)|-l10n-|-help-|-nox?$|-dkms$/;

/** What people look for first, though their packages only pull in others or say little of themselves. */
const WELL_KNOWN = new Set(
  "chromium emacs firefox-esr gcc g++ libreoffice make postgresql python3 r-base redis texlive wesnoth".split(
    " ",
  ),
);

function keepsOut(stanza, description) {
  if (WELL_KNOWN.has(stanza.Package)) return description === undefined;
  return (
    UNWANTED.test(stanza.Package) ||
    description === undefined ||
    description.long.length < 150 ||
    /transitional|dummy|metapackage|meta-package|meta package/i.test(
      `${description.title} ${description.long.slice(0, 200)}`,
    )
  );
}

const descriptions = readDescriptions();
const releases = readReleases();

/** Newest version of every package, and how many packages depend on or recommend it. */
const packages = new Map();
const dependents = new Map();
for (const file of listFiles("Packages")) {
  for (const stanza of stanzas(readList(file))) {
    if (!packages.has(stanza.Package)) {
      const needed =
        `${stanza.Depends ?? ""},${stanza.Recommends ?? ""}`.match(
          /[a-z0-9][a-z0-9+.-]+(?=\s*(?:[(,|:]|$))/g,
        ) ?? [];
      for (const name of new Set(needed)) dependents.set(name, (dependents.get(name) ?? 0) + 1);
    }
    // Updates come without tags.
    packages.set(stanza.Package, { ...packages.get(stanza.Package), ...stanza });
  }
}

/** One package of each source package, so that no program fills a page with its parts. */
const candidates = new Map();
for (const stanza of packages.values()) {
  const description = descriptions.get(stanza["Description-md5"]);
  if (keepsOut(stanza, description)) continue;
  const source = (stanza.Source ?? stanza.Package).split(" ")[0];
  const released = releases.get(stanza.Package) || dateInVersion(stanza.Version);
  const tags = (stanza.Tag ?? "").split(/,\s*/).filter((tag) => tag !== "" && !tag.trim().endsWith(":TODO"));
  const weight =
    (WELL_KNOWN.has(stanza.Package) ? 100 : 0) +
    Math.log2(1 + (dependents.get(stanza.Package) ?? 0)) +
    (releases.has(stanza.Package) ? 3 : 0) +
    (released === undefined ? 0 : 8) +
    (tags.includes("role::program") ? 2 : 0) +
    Math.min(tags.length, 12) / 4 +
    (stanza.Priority === "optional" ? 0 : 3) +
    (stanza.Package === source ? 2 : 0) +
    (description.long.length > 300 ? 1 : 0);
  const candidate = { stanza, description, released, tags, weight };
  const rival = candidates.get(source);
  if (rival === undefined || isBefore(candidate, rival)) candidates.set(source, candidate);
}

function isBefore(left, right) {
  if (left.weight !== right.weight) return left.weight > right.weight;
  return left.stanza.Package < right.stanza.Package;
}

const taken = [];
const takenOfSection = new Map();
for (const candidate of [...candidates.values()].sort((left, right) => (isBefore(left, right) ? -1 : 1))) {
  const { Section: section = "misc" } = candidate.stanza;
  const already = takenOfSection.get(section) ?? 0;
  if (taken.length === PACKAGES || already >= PACKAGES * SECTION_SHARE) continue;
  takenOfSection.set(section, already + 1);
  taken.push(candidate);
}

function shorten(text) {
  if (text.length <= DESCRIPTION_LENGTH_MAX) return text;
  const cut = text.slice(0, DESCRIPTION_LENGTH_MAX);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), cut.lastIndexOf("\n")))} …`;
}

const documents = taken.map(({ stanza, description, released, tags }) => ({
  id: stanza.Package,
  name: stanza.Package,
  title: description.title,
  description: shorten(description.long),
  section: `/${stanza.Section ?? "misc"}`,
  tags: [...new Set(tags.map((tag) => `/${tag.trim().replace(/::?/g, "/")}`))].sort(),
  version: stanza.Version,
  installed_size: Number(stanza["Installed-Size"] ?? 0),
  download_size: Number(stanza.Size ?? 0),
  depends: stanza.Depends === undefined ? 0 : stanza.Depends.split(",").length,
  arch_independent: stanza.Architecture === "all",
  ...(released !== undefined && { released: new Date(released * 1000).toISOString().replace(".000Z", "Z") }),
}));
documents.sort((left, right) => (left.id < right.id ? -1 : 1));

const lines = documents.map((document) => `${JSON.stringify(document)}\n`).join("");
const packed = gzipSync(lines, { level: 9 });
writeFileSync(new URL("packages.jsonl.gz", import.meta.url), packed);
const dated = documents.filter((document) => document.released !== undefined).length;
console.log(
  `${documents.length} packages, ${dated} with a date, ${lines.length} characters, ${packed.length} bytes packed`,
);
console.log(Object.fromEntries([...takenOfSection].sort((left, right) => right[1] - left[1])));
