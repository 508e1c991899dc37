// Changesets for the project's two packages: `npm run changeset` asks what a change is and writes it down in
// .changeset, `npm run release:version` gives both packages their next version and makes a section of CHANGELOG.md of what
// lies under "Unreleased". Changesets knows only packages that lie beside each other below a root, and ours is
// the root itself: it is shown a folder in which they do.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const CHANGESETS = "@changesets/cli@2.29.7";
const UNRELEASED = "\n## Unreleased\n";
/** Where each package lies in the project. */
const PACKAGES = { findling: ".", client: "packages/client" };
/** It names the version first of all. */
const DESCRIPTION = "docs/openapi.json";

const command = process.argv[2] ?? "add";
const shown = mkdtempSync(join(tmpdir(), "findling-changesets-"));
try {
  lay();
  run(shown, "npx", "--yes", CHANGESETS, command);
  if (command === "version") release();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
} finally {
  rmSync(shown, { recursive: true, force: true });
}

function lay() {
  const root = { name: "shown", private: true, workspaces: Object.keys(PACKAGES) };
  writeFileSync(join(shown, "package.json"), JSON.stringify(root));
  writeFileSync(join(shown, "package-lock.json"), "{}");
  symlinkSync(resolve(".changeset"), join(shown, ".changeset"));
  for (const [name, folder] of Object.entries(PACKAGES)) {
    mkdirSync(join(shown, name));
    cpSync(join(folder, "package.json"), join(shown, name, "package.json"));
  }
  // It looks there for what has changed since the last release, and complains at length of a folder without a history.
  run(shown, "git", "init", "--quiet", "--initial-branch=main");
  const author = ["-c", "user.name=changesets", "-c", "user.email=changesets@localhost"];
  run(shown, "git", ...author, "commit", "--quiet", "--allow-empty", "--message=shown");
}

/** @throws Error if there is nothing to release */
function release() {
  const before = versionIn("package.json");
  const after = versionIn(join(shown, "findling/package.json"));
  if (after === before)
    throw new Error("no changeset says that there is anything to release: npm run changeset");
  const changelog = readFileSync("CHANGELOG.md", "utf8");
  if (!changelog.includes(UNRELEASED)) throw new Error('CHANGELOG.md has no section "Unreleased"');
  const dated = `${UNRELEASED}\n## ${after}, ${new Date().toISOString().slice(0, 10)}\n`;
  writeFileSync("CHANGELOG.md", changelog.replace(UNRELEASED, dated));
  const manifests = Object.values(PACKAGES).map((folder) => join(folder, "package.json"));
  for (const path of [...manifests, DESCRIPTION]) {
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace(`"version": "${before}"`, `"version": "${after}"`));
  }
  run(".", "npm", "install", "--package-lock-only", "--ignore-scripts", "--loglevel=error");
  process.stdout.write(
    `findling and @findling/client are ${after} now: look at the changes, and commit them\n`,
  );
}

function versionIn(path) {
  return JSON.parse(readFileSync(path, "utf8")).version;
}

function run(cwd, program, ...parameters) {
  const { status, error } = spawnSync(program, parameters, { cwd, stdio: "inherit" });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${[program, ...parameters].join(" ")} failed`);
}
