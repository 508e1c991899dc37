import { existsSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { compiledRunners } from "./compiled-runners.js";
import type { EngineProgram } from "./engine-program.js";
import { hashOfFiles } from "./hash-of-files.js";

/** The folder that `npm run build` compiles into. */
export const COMPILED_FINDLING: string = fileURLToPath(new URL("../../dist", import.meta.url));

const BUILDING = ["findling-collection.ts", "rows-of-file.ts", "deleted-document.ts"].map((name) =>
  fileURLToPath(new URL(`./runners/${name}`, import.meta.url)),
);
const MANIFEST = fileURLToPath(new URL("../../package.json", import.meta.url));

export const FINDLING_VERSION: string = (
  JSON.parse(readFileSync(MANIFEST, "utf8")) as { readonly version: string }
).version;

/** Folders of the engine that only read an index: what changes there leaves indexes as they are. */
const READING_FOLDERS = ["search", "inspect", "kernels"];
/** But for these. */
const WRITING_KERNELS = ["block-compressor", "building-memory", "pack-numbers", "text-quoter"];
/** Built apart: without the first, searching is slower; without the second, nothing opens. */
const KERNEL_MODULES = ["kernels.wasm", "building.wasm"];

/** Findling as compiled in a folder. */
export function findlingProgram(
  name: string,
  dist: string,
  nodeOptions: readonly string[] = [],
): EngineProgram {
  const folder = resolve(dist);
  const engine = join(folder, "engine");
  if (!existsSync(join(engine, "index.js")))
    return { name, missing: `no compiled engine in ${dist}; run 'npm run build' first` };
  const kernels = join(engine, "kernels");
  if (existsSync(kernels) && !KERNEL_MODULES.every((module) => existsSync(join(kernels, module))))
    return { name, missing: `no compiled kernels in ${dist}; run 'npm run build' first` };
  // Kernels are looked for by that name, and without them the engine falls back to plain code.
  if (basename(folder) !== "dist") return { name, missing: `${dist} must be called dist` };
  // The bundle holds what reads as well; beside it lies the door as it was.
  const door = join(engine, "index.js");
  const isBundled = existsSync(join(engine, "unbundled.js"));
  const isWriting = (path: string): boolean =>
    path.endsWith("building.wasm") ||
    WRITING_KERNELS.some((name) => path.endsWith(join("kernels", `${name}.js`))) ||
    (/\.(js|ts)$/.test(path) &&
      !path.endsWith(".d.ts") &&
      !(isBundled && path === door) &&
      !READING_FOLDERS.some((reading) => path.startsWith(join(engine, reading))));
  return {
    name,
    command: [process.execPath, ...nodeOptions, join(compiledRunners(), "findling-runner.js")],
    environment: { FINDLING_DIST: folder, FINDLING_VERSION },
    buildKey: hashOfFiles([engine, join(folder, "analysis"), ...BUILDING], isWriting),
  };
}
