// Makes one file of the engine's two hundred, dist/engine/server-door.js: to find and link them one by one takes Node a
// sixth of a second of processor time, in each process and each thread that opens an index.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { compiledSources } from "./compiled-sources.mjs";
import { digestOf, releaseOf, root } from "./sources.mjs";

const engine = join(root, "dist/engine");
const door = join(engine, "server-door.js");
/** The door as the compiler wrote it, which it doesn't do again while its source is the same. */
const compiled = join(engine, "unbundled.js");
const BUNDLED = "// Bundled by ";
const BANNER = `${BUNDLED}scripts/build/engine-bundle.mjs.`;

export const engineBundle = {
  name: "the engine as one file",
  stamp: "dist/engine/.bundled",
  digest: () =>
    digestOf(
      ["scripts/build/engine-bundle.mjs"],
      compiledSources.digest(),
      `rolldown ${releaseOf("rolldown")}`,
    ),
  isThere: () => existsSync(door) && existsSync(compiled) && readFileSync(door, "utf8").startsWith(BANNER),
  make: bundle,
};

/** What others import as well stays a module of its own, so that there is one of each: errors and analysis. */
const shared = {
  name: "shared",
  resolveId(source, importer) {
    if (importer === undefined || !source.startsWith(".")) return null;
    const id = fromDoor(join(dirname(importer), source));
    return id.startsWith("../") ? { id, external: true } : null;
  },
};

/** The module that asks where it is, since kernels lie beside it, gets the answer that it got before. */
const placed = {
  name: "placed",
  transform(code, id) {
    if (!code.includes("import.meta.url")) return null;
    const place = `new URL("./${fromDoor(id)}", import.meta.url)`;
    return { code: code.replaceAll("import.meta.url", place), map: null };
  },
};

async function bundle() {
  const { rolldown } = await import("rolldown");
  keepCompiled();
  const modules = await rolldown({ input: compiled, platform: "node", plugins: [shared, placed] });
  const { output } = await modules.generate({
    format: "esm",
    banner: BANNER,
    comments: false,
    file: "server-door.js",
  });
  await modules.close();
  for (const { fileName, code } of output)
    replace(join(engine, fileName), inAscii(withConstantClasses(code)));
}

/** What a variable holds V8 reads each time: with `var` a search for a rare word took a quarter longer. */
function withConstantClasses(code) {
  return code.replace(/^var ([\w$]+) = class\b/gm, "const $1 = class");
}

/**
 * Each thread keeps the source for as long as it lives, two bytes a character where only one of them isn't of Latin 1:
 * 2.0 MB, of which comments were a quarter. Such characters are in literals alone, where escapes say the same.
 */
function inAscii(code) {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function keepCompiled() {
  const written = existsSync(door) ? readFileSync(door, "utf8") : BUNDLED;
  if (!written.startsWith(BUNDLED)) replace(compiled, written);
  if (!existsSync(compiled) || !existsSync(door))
    throw new Error("dist is incomplete; delete it and build again");
}

/** Whoever starts meanwhile finds the whole file. */
function replace(path, contents) {
  writeFileSync(`${path}.tmp`, contents);
  renameSync(`${path}.tmp`, path);
}

function fromDoor(path) {
  return relative(engine, path).replaceAll("\\", "/");
}
