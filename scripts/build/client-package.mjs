// packages/client/dist: the client of src/client as a file for browsers and Node, files that it loads when it needs them, and
// their types, without the server and without the schemas that the server's contract has beside them.
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compiledSources } from "./compiled-sources.mjs";
import { joinedDeclarations } from "./joined-declarations.mjs";
import { digestOf, releaseOf, root } from "./sources.mjs";

const PACKAGE = join(root, "packages/client");
const FOLDER = join(PACKAGE, "dist");
/** What programs import; all else is reached from there. */
const DOORS = ["index", "exact-json"];
const doorOf = (name) => join(root, "dist/client", name);

export const clientPackage = {
  name: "the client as a package",
  stamp: "packages/client/dist/.built",
  digest: () =>
    digestOf(
      ["scripts/build/client-package.mjs", "scripts/build/joined-declarations.mjs", "LICENSE"],
      compiledSources.digest(),
      `rolldown ${releaseOf("rolldown")}`,
    ),
  isThere: () =>
    DOORS.every((name) => [".js", ".d.ts"].every((ending) => existsSync(join(FOLDER, name + ending)))),
  make,
};

async function make() {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const { rolldown } = await import("rolldown");
  const modules = await rolldown({
    input: Object.fromEntries(DOORS.map((name) => [name, `${doorOf(name)}.js`])),
    platform: "neutral",
    treeshake: { moduleSideEffects: false },
    external: (id) => {
      if (/^[./]/.test(id) || id.startsWith(root)) return false;
      throw new Error(`the client imports '${id}', and has to do without packages`);
    },
  });
  const { output } = await modules.generate({
    format: "esm",
    minify: true,
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
  });
  await modules.close();
  for (const { fileName, code } of output) writeFileSync(join(FOLDER, fileName), code);
  for (const name of DOORS)
    writeFileSync(join(FOLDER, `${name}.d.ts`), await joinedDeclarations(`${doorOf(name)}.d.ts`));
  copyFileSync(join(root, "LICENSE"), join(PACKAGE, "LICENSE"));
}
