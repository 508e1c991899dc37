// The rules of .dependency-cruiser.cjs, and one that it can't state: no two folders of src or console, one inside the other aside,
// import each other, types included.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { cruise, format } from "dependency-cruiser";
import extractTypeScriptConfig from "dependency-cruiser/config-utl/extract-ts-config";

const TEST = /[.]test[.]ts$/;
/** What only hands on what another folder has, for the package's sake. */
const DOORS = ["src/engine/index.ts"];

const { options, ...ruleSet } = createRequire(import.meta.url)(
  join(process.cwd(), ".dependency-cruiser.cjs"),
);
const { output } = await cruise(
  ["src", "console"].filter(existsSync),
  { ...options, validate: true, ruleSet },
  undefined,
  {
    tsConfig: extractTypeScriptConfig(options.tsConfig.fileName),
  },
);
const report = await format(output, { outputType: "err" });
process.stdout.write(report.output);

const pairs = mutualFolders(output.modules);
for (const pair of pairs) process.stdout.write(`  these folders import each other: ${pair}\n`);
if (report.exitCode > 0 || pairs.length > 0) process.exitCode = 1;

/**
 * Folders with files of which some import some of the other's, each way; what lies in a folder's folders is its own, too.
 *
 * @returns pairs as "FOLDER and FOLDER", in order
 */
function mutualFolders(modules) {
  const imports = new Set();
  for (const { source, dependencies } of modules) {
    if (TEST.test(source) || DOORS.includes(source)) continue;
    for (const { resolved } of dependencies) {
      for (const from of foldersOf(source))
        for (const to of foldersOf(resolved))
          if (!isInside(from, to) && !isInside(to, from)) imports.add(`${from} and ${to}`);
    }
  }
  return [...imports]
    .filter((pair) => {
      const [from, to] = pair.split(" and ");
      return from < to && imports.has(`${to} and ${from}`);
    })
    .sort();
}

/** The folders that a file of src or console lies in, these two aside; none for other files. */
function foldersOf(path) {
  const folders = [];
  const [top] = path.split("/");
  if (top !== "src" && top !== "console") return folders;
  for (let folder = dirname(path); folder !== top; folder = dirname(folder)) folders.push(folder);
  return folders;
}

function isInside(folder, other) {
  return folder === other || folder.startsWith(`${other}/`);
}
