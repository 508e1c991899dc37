// Before a package is made of the project: says what of dist it leaves out, in dist/.npmignore. A package has what the
// server, the command line, the engine's door and the client run, the declarations that can be reached from these
// doors, the console and the manual; it hasn't the modules that the engine's door for the server was bundled of, nor the build's own marks.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { root, textOf } from "./build/sources.mjs";

const DIST = join(root, "dist");
/** Types of what the package's `exports` name. */
const DOORS = ["server.d.ts", "engine/index.d.ts", "client/index.d.ts"];
const ENGINE = [/^engine\/(index|server-door)[.]js$/, /^engine\/kernels\/[^/]+[.]wasm$/];

const declarations = reachable(DOORS);
/** Sources that were compiled last: a checkout may have modules of deleted ones. */
const compiled = new Set(
  textOf("dist/.compiled-files")
    .split("\n")
    .map((path) => path.replace(/^src\//, "").replace(/[.]ts$/, ".js")),
);
const leftOut = readdirSync(DIST, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(DIST, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
  .filter((path) => !isShipped(path))
  .sort();
writeFileSync(join(DIST, ".npmignore"), leftOut.map((path) => `/${path}\n`).join(""));

function isShipped(path) {
  if (path.endsWith(".d.ts")) return declarations.has(path);
  if (path.startsWith("engine/")) return ENGINE.some((pattern) => pattern.test(path));
  if (/^(console|manual)\//.test(path)) return !path.endsWith("/.built");
  return compiled.has(path) || path === "third-party-licences.txt";
}

/** The declarations that these import, and so on; those of packages aside. */
function reachable(doors) {
  const found = new Set();
  for (const waiting = [...doors]; waiting.length > 0; ) {
    const path = waiting.pop();
    if (found.has(path)) continue;
    found.add(path);
    for (const [, source] of readFileSync(join(DIST, path), "utf8").matchAll(
      /\b(?:from|import)\s*\(?\s*"([.]{1,2}\/[^"]+)[.]js"/g,
    ))
      waiting.push(join(dirname(path), `${source}.d.ts`).replaceAll("\\", "/"));
  }
  return found;
}
