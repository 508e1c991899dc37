// packages/client/dist: the client of src/client as one file for browsers and Node, and its types as another, without
// the server and without the schemas that the server's contract has beside them.
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compiledSources } from "./compiled-sources.mjs";
import { joinedDeclarations } from "./joined-declarations.mjs";
import { digestOf, releaseOf, root } from "./sources.mjs";

const PACKAGE = join(root, "packages/client");
const FOLDER = join(PACKAGE, "dist");
const DOOR = join(root, "dist/client/index");

export const clientPackage = {
  name: "the client as a package",
  stamp: "packages/client/dist/.built",
  digest: () =>
    digestOf(
      ["scripts/build/client-package.mjs", "scripts/build/joined-declarations.mjs", "LICENSE"],
      compiledSources.digest(),
      `rolldown ${releaseOf("rolldown")}`,
    ),
  isThere: () => existsSync(join(FOLDER, "index.js")) && existsSync(join(FOLDER, "index.d.ts")),
  make,
};

async function make() {
  mkdirSync(FOLDER, { recursive: true });
  const { rolldown } = await import("rolldown");
  const modules = await rolldown({
    input: `${DOOR}.js`,
    platform: "neutral",
    treeshake: { moduleSideEffects: false },
    external: (id) => {
      if (/^[./]/.test(id) || id.startsWith(root)) return false;
      throw new Error(`the client imports '${id}', and has to do without packages`);
    },
  });
  const { output } = await modules.generate({ format: "esm", minify: true });
  await modules.close();
  writeFileSync(join(FOLDER, "index.js"), output[0].code);
  writeFileSync(join(FOLDER, "index.d.ts"), await joinedDeclarations(`${DOOR}.d.ts`));
  copyFileSync(join(root, "LICENSE"), join(PACKAGE, "LICENSE"));
}
