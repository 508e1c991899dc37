/**
 * What a build without development dependencies fetches and copies is what the build needs and no more, so that
 * `npm ci --omit=dev && npm start` doesn't fail for a package or a file that nobody has thought of.
 */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** Imports at run time: those of types alone are gone in what a bundler reads. */
const IMPORT =
  /^\s*(?:import|export)\s+(?!type\b)(?:[\w*{][^;"']*?\sfrom\s*)?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/gm;
/** Named by `types` of tsconfig.json, or run as a program; imported by nobody. */
const NOT_IMPORTED = ["@types/node", "typescript-compiler"];

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function listed(name: "TOOLS" | "SOURCES"): readonly string[] {
  const program = `import("./scripts/build/fetched-tools.mjs").then((m) => console.log(JSON.stringify(m.${name})))`;
  const { stdout, stderr } = spawnSync(process.execPath, ["-e", program], { cwd: ROOT, encoding: "utf8" });
  expect(stderr).toBe("");
  return JSON.parse(stdout) as string[];
}

/** Packages that these files and what they import import. */
function packagesOf(entries: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const packages = new Set<string>();
  for (const waiting = [...entries]; waiting.length > 0; ) {
    const path = waiting.pop()!;
    if (seen.has(path)) continue;
    seen.add(path);
    if (!/[.](?:ts|tsx|mjs)$/.test(path)) continue;
    for (const [, plain, late] of readFileSync(path, "utf8").matchAll(IMPORT)) {
      const source = (plain ?? late)!;
      if (source.startsWith(".")) waiting.push(fileOf(resolve(dirname(path), source)));
      else if (!isBuiltin(source)) packages.add(/^(?:@[^/]+[/])?[^/]+/.exec(source)![0]);
    }
  }
  return packages;
}

function fileOf(path: string): string {
  const candidates = [path, path.replace(/[.]js$/, ".ts"), path.replace(/[.]js$/, ".tsx"), `${path}.ts`];
  return candidates.find((candidate) => existsSync(candidate) && statSync(candidate).isFile()) ?? path;
}

test("the tools are the packages that the build imports", () => {
  const console = readdirSync(join(ROOT, "console"), { recursive: true, encoding: "utf8" })
    .filter((path) => /[.]tsx?$/.test(path) && !/[.]test[.]|[.]d[.]ts$/.test(path))
    .map((path) => join(ROOT, "console", path));
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    dependencies: object;
  };
  const imported = packagesOf([join(ROOT, "scripts/build.mjs"), ...console]);
  const needed = [...imported, ...NOT_IMPORTED].filter((name) => !Object.hasOwn(dependencies, name));
  expect(listed("TOOLS").toSorted()).toEqual(needed.toSorted());
});

/** What `npm run build` would say of a folder with nothing but these. */
function asked(paths: readonly string[]): { status: number | null; told: string } {
  const folder = mkdtempSync(join(tmpdir(), "findling-sources-"));
  folders.push(folder);
  // A script knows the project's root by where it lies itself.
  for (const path of [...paths, "package.json"])
    if (path === "scripts") cpSync(join(ROOT, path), join(folder, path), { recursive: true });
    else symlinkSync(join(ROOT, path), join(folder, path));
  const { status, stderr } = spawnSync(process.execPath, ["scripts/build.mjs", "--say"], {
    cwd: folder,
    encoding: "utf8",
  });
  return { status, told: stderr };
}

test("every step finds what it is made from among the sources, and each of them is needed", () => {
  const sources = listed("SOURCES");
  const { status, told } = asked(sources);
  expect([status, told.match(/^stale in dist: /gm)?.length]).toEqual([0, 7]);
  const superfluous = sources.filter((left) => asked(sources.filter((path) => path !== left)).status === 0);
  expect(superfluous).toEqual([]);
});
