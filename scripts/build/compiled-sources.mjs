// src as JavaScript and declarations in dist, by tsc, which compiles again only what a change concerns.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { digestOf, releaseOf, root, sourcesBelow, textOf } from "./sources.mjs";

const STAMP = "dist/.compiled";
/** What tsc remembers of its last run. */
const BUILD_INFO = "dist/.tsbuildinfo";
const KERNELS = "src/engine/kernels/assembly/";

const sources = () =>
  sourcesBelow("src").filter((path) => !path.endsWith(".test.ts") && !path.startsWith(KERNELS));

export const compiledSources = {
  name: "TypeScript",
  /** The file in `dist` that says from what it was made. */
  stamp: STAMP,
  digest: () =>
    digestOf(
      [...sources(), "tsconfig.json", "tsconfig.build.json"],
      `typescript ${releaseOf("typescript-compiler")}`,
    ),
  isThere: () =>
    sources().every((path) => path.endsWith(".d.ts") || existsSync(join(root, compiledPath(path)))),

  async make() {
    // What tsc remembers says nothing of files that are gone, nor of those that another build has made of its own.
    if (!this.isThere() || !existsSync(join(root, STAMP))) rmSync(join(root, BUILD_INFO), { force: true });
    const compiler = join(root, "node_modules/typescript-compiler/bin/tsc");
    const child = spawn(process.execPath, [compiler, "-p", "tsconfig.build.json"], {
      cwd: root,
      stdio: "inherit",
    });
    const [status] = await once(child, "close");
    if (status !== 0) throw new Error("src doesn't compile");
    forgetDeleted();
  },
};

/** The files of sources that are gone are deleted: a module could go on being imported that no checkout has. */
function forgetDeleted() {
  const now = sources();
  const before = textOf("dist/.compiled-files").split("\n").filter(Boolean);
  for (const path of before.filter((one) => !now.includes(one)))
    for (const ending of [".js", ".d.ts"])
      rmSync(join(root, compiledPath(path).replace(/[.]js$/, ending)), { force: true });
  writeFileSync(join(root, "dist/.compiled-files"), `${now.join("\n")}\n`);
}

function compiledPath(path) {
  return path.replace(/^src/, "dist").replace(/[.]ts$/, ".js");
}
