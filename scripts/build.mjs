// Makes dist: compiled TypeScript, kernels, the engine as one file, and the console. Each step runs only if what it is made from has
// changed, and says so; `node scripts/build.mjs kernels` makes the kernels alone, `--say` makes nothing and says what is
// stale.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compiledSources } from "./build/compiled-sources.mjs";
import { consoleApplication } from "./build/console.mjs";
import { engineBundle } from "./build/engine-bundle.mjs";
import { kernelModules } from "./build/kernels.mjs";
import { root } from "./build/sources.mjs";

const TOOLS = ["typescript", "assemblyscript", "rolldown", "vite", "react"];

const isAsked = process.argv[2] === "--say";
const steps =
  process.argv[2] === "kernels"
    ? kernelModules
    : [compiledSources, ...kernelModules, engineBundle, consoleApplication];

try {
  // Taken before anything is read to be compiled: what changes meanwhile is stale the next time.
  for (const [step, digest] of steps.map((one) => [one, one.digest()])) {
    if (isFresh(step, digest)) continue;
    if (isAsked) {
      process.stderr.write(`stale in dist: ${step.name}; npm run build makes it anew\n`);
      continue;
    }
    requireTools();
    process.stderr.write(`building ${step.name}\n`);
    await step.make();
    writeFileSync(join(root, step.stamp), digest);
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  // After `npm ci --omit=dev`, which prepares as well, nothing is wrong yet.
  if (process.env.npm_lifecycle_event !== "prepare" || areToolsThere()) process.exitCode = 1;
}

function requireTools() {
  if (!areToolsThere())
    throw new Error(
      `not built: ${TOOLS.join(", ")} aren't all installed; run npm ci with development dependencies`,
    );
}

function areToolsThere() {
  return TOOLS.every((tool) => existsSync(join(root, "node_modules", tool)));
}

function isFresh(step, digest) {
  const stamp = join(root, step.stamp);
  return existsSync(stamp) && readFileSync(stamp, "utf8") === digest && step.isThere();
}
