// Builds after `npm ci`, unless the tools for it were left out (`npm ci --omit=dev`).
import { execSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const tools = ["typescript", "assemblyscript", "rolldown"];
if (tools.every((name) => existsSync(join(root, "node_modules", name)))) {
  execSync("npm run build --silent", { cwd: root, stdio: "inherit" });
}
