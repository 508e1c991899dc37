// While a package is made of the project, package.json is what an installation needs of it: npm warns of scripts that
// are the checkout's own. `restore` puts it back as it was.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./build/sources.mjs";

const MANIFEST = join(root, "package.json");
const KEPT_ASIDE = join(root, ".cache/package.json");
const OF_THE_CHECKOUT = ["scripts", "devDependencies", "overrides", "workspaces"];

if (process.argv[2] === "restore") {
  if (existsSync(KEPT_ASIDE)) writeFileSync(MANIFEST, readFileSync(KEPT_ASIDE));
  rmSync(KEPT_ASIDE, { force: true });
} else {
  const text = readFileSync(MANIFEST, "utf8");
  const manifest = Object.entries(JSON.parse(text)).filter(([name]) => !OF_THE_CHECKOUT.includes(name));
  mkdirSync(join(root, ".cache"), { recursive: true });
  writeFileSync(KEPT_ASIDE, text);
  writeFileSync(MANIFEST, `${JSON.stringify(Object.fromEntries(manifest), null, 2)}\n`);
}
