/**
 * Before any test: kernels that are older than their sources are built again, since sources run against the built module;
 * and what `dist` has of other sources is only said, as few tests start a process that runs it and compiling takes long.
 * A run of the quick suite says what it leaves out.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const BUILD = join(import.meta.dirname, "../../scripts/build.mjs");

export default function setup({ vitest }) {
  build("kernels");
  build("--say");
  if (vitest.config.project.includes("quick") && !vitest.config.project.includes("long"))
    process.stderr.write(
      "skipped: the long suite (tests/setup/long-tests.ts), which `npm run test:long` runs\n",
    );
}

function build(parameter) {
  const { status, error } = spawnSync(process.execPath, [BUILD, parameter], { stdio: "inherit" });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`node scripts/build.mjs ${parameter} failed`);
}
