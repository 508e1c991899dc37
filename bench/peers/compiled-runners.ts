import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { CACHE_FOLDER } from "../corpus.js";
import { hashOfFiles } from "./hash-of-files.js";

const SOURCE = fileURLToPath(new URL("./runners", import.meta.url));

/**
 * Folder of the runners without their types, in the cache: what is measured runs as plain JavaScript,
 * without a loader that rewrites modules.
 */
export function compiledRunners(): string {
  const folder = join(CACHE_FOLDER, "runners", hashOfFiles([SOURCE]));
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
