import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CACHE_FOLDER } from "../corpus.js";
import type { EngineProgram } from "./engine-program.js";
import { hashOfFiles } from "./hash-of-files.js";

const SOURCE = fileURLToPath(new URL("../native/tantivy", import.meta.url));

/** The Tantivy crate behind our runner, compiled by cargo in the benchmarks' cache (minutes the first time). */
export function nativeTantivy(): EngineProgram {
  const name = "tantivy";
  const folder = join(CACHE_FOLDER, "tantivy");
  const crate = join(folder, "source");
  const target = join(folder, "target");
  mkdirSync(crate, { recursive: true });
  cpSync(SOURCE, crate, { recursive: true, preserveTimestamps: true });
  const cargo = spawnSync("nice", ["-n", "10", "cargo", "build", "--release", "--quiet", "--jobs", "1"], {
    cwd: crate,
    env: { ...process.env, CARGO_TARGET_DIR: target },
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (cargo.status !== 0) return { name, missing: "no cargo here, or the crate doesn't compile" };
  return {
    name,
    command: [join(target, "release", "tantivy-runner")],
    buildKey: hashOfFiles(
      ["Cargo.toml", "src/collection.rs", "src/deleted_document.rs"].map((file) => join(crate, file)),
    ),
  };
}
