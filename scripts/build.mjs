// Makes dist: compiled TypeScript, kernels, the engine as one file, the console and the manual. Each step runs only if what
// it is made from has changed, and says so; `node scripts/build.mjs kernels` makes the kernels alone, `--say` makes nothing
// and says what is stale.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { clientPackage } from "./build/client-package.mjs";
import { compiledSources } from "./build/compiled-sources.mjs";
import { consoleApplication } from "./build/console.mjs";
import { engineBundle } from "./build/engine-bundle.mjs";
import { areToolsThere, buildWithFetchedTools } from "./build/fetched-tools.mjs";
import { kernelModules } from "./build/kernels.mjs";
import { manualSite } from "./build/manual/manual-site.mjs";
import { root } from "./build/sources.mjs";

const isAsked = process.argv[2] === "--say";
const steps =
  process.argv[2] === "kernels"
    ? kernelModules
    : [compiledSources, ...kernelModules, engineBundle, clientPackage, consoleApplication, manualSite];

try {
  // Taken before anything is read to be compiled: what changes meanwhile is stale the next time.
  for (const [step, digest] of steps.map((one) => [one, one.digest()])) {
    if (isFresh(step, digest)) continue;
    if (isAsked) {
      process.stderr.write(`stale in dist: ${step.name}; npm run build makes it anew\n`);
      continue;
    }
    if (!areToolsThere()) {
      // All of it at once: nothing of an earlier build is of use there.
      buildWithFetchedTools();
      break;
    }
    process.stderr.write(`building ${step.name}\n`);
    await step.make();
    writeFileSync(join(root, step.stamp), digest);
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

function isFresh(step, digest) {
  const stamp = join(root, step.stamp);
  return existsSync(stamp) && readFileSync(stamp, "utf8") === digest && step.isThere();
}
