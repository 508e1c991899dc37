import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { CACHE_FOLDER } from "../corpus.js";
import type { EngineProgram } from "./engine-program.js";
import { hashOfFiles } from "./hash-of-files.js";

const SOURCE = fileURLToPath(new URL("./findling", import.meta.url));
const MANIFEST = fileURLToPath(new URL("../../package.json", import.meta.url));

/** Folders of the engine that only read an index: what changes there leaves indexes as they are. */
const READING_FOLDERS = ["search", "inspect", "kernels"];

/** Findling as compiled in a folder, `dist` of this project unless another is named. */
export function findlingProgram(
  name: string,
  dist: string,
  nodeOptions: readonly string[] = [],
): EngineProgram {
  const folder = resolve(dist);
  if (!existsSync(join(folder, "engine", "index.js")))
    return { name, missing: `no compiled engine in ${dist}; run 'npm run build' first` };
  const { version } = JSON.parse(readFileSync(MANIFEST, "utf8")) as { version: string };
  const writing = (path: string): boolean =>
    path.endsWith(".js") &&
    !READING_FOLDERS.some((reading) => path.startsWith(join(folder, "engine", reading)));
  return {
    name,
    command: [process.execPath, ...nodeOptions, join(compiledRunner(), "runner.js")],
    environment: { FINDLING_DIST: folder, FINDLING_VERSION: version },
    buildKey: hashOfFiles(
      [join(folder, "engine"), join(folder, "analysis"), join(SOURCE, "collection.ts")],
      writing,
    ),
  };
}

/**
 * The runner without its types, in the cache: what is measured runs as plain JavaScript, without a
 * loader that rewrites modules.
 */
function compiledRunner(): string {
  const folder = join(CACHE_FOLDER, "findling-runner", hashOfFiles([SOURCE]));
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  writeFileSync(join(unfinished, "package.json"), '{ "type": "module" }\n');
  for (const file of readdirSync(SOURCE)) {
    const { outputText } = ts.transpileModule(readFileSync(join(SOURCE, file), "utf8"), {
      compilerOptions: {
        module: ts.ModuleKind.ESNext,
        target: ts.ScriptTarget.ES2023,
        verbatimModuleSyntax: true,
      },
    });
    writeFileSync(join(unfinished, file.replace(/\.ts$/, ".js")), outputText);
  }
  renameSync(unfinished, folder);
  return folder;
}
