// The build in an installation without development dependencies, as after `npm ci --omit=dev`: the locked build tools
// are installed in a folder of their own, dist is made there and put in its place, and the folder is removed.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./sources.mjs";

/** What the build runs, and what is built into the console; with what these need themselves they are a third of all. */
export const TOOLS = [
  "@base-ui/react",
  "@codemirror/lang-json",
  "@codemirror/state",
  "@codemirror/view",
  "@tanstack/react-query",
  "@tanstack/react-table",
  "@tanstack/react-virtual",
  "@types/node",
  "assemblyscript",
  "codemirror",
  "marked",
  "papaparse",
  "react",
  "react-dom",
  "rolldown",
  "typescript",
  "typescript-compiler",
  "uplot",
  "vite",
  "wouter",
];

/** What the build reads. */
export const SOURCES = [
  "src",
  "console",
  "docs",
  "README.md",
  "CHANGELOG.md",
  "scripts",
  "LICENSE",
  "tsconfig.json",
  "tsconfig.build.json",
];

/** What the build makes. */
const MADE = ["dist", "packages/client/dist"];

const FOLDER = ".cache/build-tools";

/** What an installation says to npm of itself in the environment, which isn't meant for another one. */
const OF_THE_OUTER_NPM =
  /^npm_(lifecycle|package|config_(omit|include|production|only|local_prefix|global|ignore_scripts|dry_run|workspaces?))/i;

/** Whether everything is installed that the build runs, and that src has types of. */
export function areToolsThere() {
  const { optionalDependencies } = manifest();
  return [...TOOLS, ...Object.keys(optionalDependencies)].every((name) =>
    existsSync(join(root, "node_modules", name)),
  );
}

/** @throws Error if npm can't fetch them, or the build fails */
export function buildWithFetchedTools() {
  const folder = join(root, FOLDER);
  process.stderr.write(
    "fetching the build tools, which this installation doesn't have, into a folder that is removed\n",
  );
  try {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeManifests(folder);
    run(
      folder,
      "npm ci",
      ...npm("ci", "--include=dev", "--include=optional", "--ignore-scripts", "--loglevel=error"),
    );
    for (const path of SOURCES)
      if (existsSync(join(root, path))) cpSync(join(root, path), join(folder, path), { recursive: true });
    // The build names releases of tools as the project does.
    cpSync(join(root, "package.json"), join(folder, "package.json"));
    run(folder, "the build", process.execPath, "scripts/build.mjs");
    for (const path of MADE) putInPlace(join(folder, path), join(root, path));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Package and lock of the tools alone, with the releases that the project's lock has. */
function writeManifests(folder) {
  const { dependencies, optionalDependencies, devDependencies, overrides } = manifest();
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const tools = Object.fromEntries(TOOLS.map((name) => [name, devDependencies[name]]));
  const wanted = { dependencies, optionalDependencies, devDependencies: tools };
  const { name, version } = lock;
  const packages = { ...lock.packages, "": { name, version, ...wanted } };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, version, ...wanted, overrides }));
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ ...lock, packages }));
  const settings = join(root, ".npmrc");
  if (existsSync(settings)) cpSync(settings, join(folder, ".npmrc"));
}

function manifest() {
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
}

/** The npm that runs this, or the one that is installed. */
function npm(...parameters) {
  const own = process.env.npm_execpath;
  return own === undefined ? ["npm", ...parameters] : [process.execPath, own, ...parameters];
}

function run(folder, what, program, ...parameters) {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => name !== "NODE_ENV" && !OF_THE_OUTER_NPM.test(name)),
  );
  const { status, error } = spawnSync(program, parameters, {
    cwd: folder,
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (error !== undefined) throw error;
  if (status !== 0)
    throw new Error(`not built: ${what} failed in ${FOLDER}; 'npm ci' installs the build tools as well`);
}

/** Whoever starts meanwhile finds the old folder or the new one. */
function putInPlace(made, target) {
  if (!existsSync(made)) return;
  const old = `${made}.old`;
  mkdirSync(dirname(target), { recursive: true });
  if (existsSync(target)) renameSync(target, old);
  renameSync(made, target);
}
