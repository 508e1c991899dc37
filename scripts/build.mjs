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
  const digests = new Map(steps.map((step) => [step, step.digest()]));
  const stale = steps.filter((step) => !isFresh(step, digests.get(step)));
  if (isAsked) {
    for (const { name } of stale)
      process.stderr.write(`stale in dist: ${name}; npm run build makes it anew\n`);
  } else if (stale.length > 0 && !areToolsThere()) {
    // All of it at once: nothing of an earlier build is of use there.
    buildWithFetchedTools();
  } else {
    // The compiler of TypeScript is a process of its own, and this one compiles kernels meanwhile.
    const isOfKernels = (step) => kernelModules.includes(step);
    await Promise.all([
      makeStale(
        steps.filter((step) => step === compiledSources),
        digests,
      ),
      makeStale(steps.filter(isOfKernels), digests),
    ]);
    await makeStale(steps, digests);
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

function isFresh(step, digest) {
  const stamp = join(root, step.stamp);
  return existsSync(stamp) && readFileSync(stamp, "utf8") === digest && step.isThere();
}

/** One after the other, since what a step makes may be what the next is made from. */
async function makeStale(some, digests) {
  for (const step of some) {
    if (isFresh(step, digests.get(step))) continue;
    process.stderr.write(`building ${step.name}\n`);
    await step.make();
    writeFileSync(join(root, step.stamp), digests.get(step));
  }
}
