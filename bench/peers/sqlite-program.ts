import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { EngineProgram } from "./engine-program.js";
import { hashOfFiles } from "./hash-of-files.js";

const RUNNER = fileURLToPath(new URL("../native/sqlite/fts5_runner.py", import.meta.url));
const PROBE = "import sqlite3; sqlite3.connect(':memory:').execute('CREATE VIRTUAL TABLE t USING fts5(a)')";

/** SQLite's full-text index as Python's standard library has it. */
export function sqliteProgram(): EngineProgram {
  const name = "fts5";
  const probe = spawnSync("python3", ["-c", PROBE], { stdio: "ignore" });
  if (probe.status !== 0) return { name, missing: "no python3 whose sqlite3 has FTS5" };
  return { name, command: ["python3", RUNNER], buildKey: hashOfFiles([RUNNER]), isSlow: true };
}
