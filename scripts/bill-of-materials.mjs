// `npm run sbom` writes sbom.cdx.json (CycloneDX): the packages that an installation brings along, and those that are built
// into what is shipped, which are the ones with a licence in dist/third-party-licences.txt.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LICENCES } from "./build/shipped-licences.mjs";
import { root } from "./build/sources.mjs";

const PROGRAM = "@cyclonedx/cyclonedx-npm@6.0.1";

const installed = billOf("--omit", "dev");
const everything = billOf();
const builtIn = [...readFileSync(LICENCES, "utf8").matchAll(/^(\S+) (\d\S*) \(.*\)$/gm)].map(
  ([, name, version]) => `${name}@${version}`,
);
const added = everything.components.filter(
  (component) =>
    builtIn.includes(fullName(component)) &&
    !installed.components.some((other) => fullName(other) === fullName(component)),
);
const named = new Set([...installed.components, ...added].map(fullName));
const missing = builtIn.filter((name) => !named.has(name));
if (missing.length > 0) throw new Error(`no package that is installed is ${missing.join(" or ")}`);

const references = added.map((component) => component["bom-ref"]);
installed.components.push(...added);
for (const { ref, dependsOn = [] } of everything.dependencies) {
  if (!references.includes(ref)) continue;
  installed.dependencies.push({ ref, dependsOn: dependsOn.filter((other) => references.includes(other)) });
}
const own = installed.dependencies.find(({ ref }) => ref === installed.metadata.component["bom-ref"]);
own.dependsOn = [...(own.dependsOn ?? []), ...references];
writeFileSync(join(root, "sbom.cdx.json"), `${JSON.stringify(installed, null, 2)}\n`);

function fullName({ group, name, version }) {
  return `${group === undefined ? "" : `${group}/`}${name}@${version}`;
}

function billOf(...options) {
  const { status, stdout, stderr, error } = spawnSync(
    "npx",
    ["--yes", PROGRAM, ...options, "--output-reproducible", "--output-file", "-"],
    { cwd: root, encoding: "utf8", maxBuffer: 256 * 1024 * 1024 },
  );
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}
