import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { CACHE_FOLDER } from "./corpus.js";

const TANTIVY_VERSION = "0.27.0";

/** Python with tantivy-py in an environment of its own; null where it can't be installed. */
export function pythonWithTantivy(): string | null {
  const folder = join(CACHE_FOLDER, "python");
  const python = join(folder, "bin", "python");
  try {
    if (!existsSync(python)) {
      mkdirSync(CACHE_FOLDER, { recursive: true });
      execFileSync("python3", ["-m", "venv", folder], { stdio: "ignore" });
    }
    execFileSync(
      python,
      ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", `tantivy==${TANTIVY_VERSION}`],
      {
        stdio: ["ignore", "ignore", "inherit"],
      },
    );
    return python;
  } catch {
    return null;
  }
}
