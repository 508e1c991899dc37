// The licences of other people's code that is built into what Findling ships, as one text. What npm installs beside it
// comes with its own.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./sources.mjs";

export const LICENCES = join(root, "dist/third-party-licences.txt");
const LICENCE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;
/** Its standard library is compiled into the kernels. */
const IN_KERNELS = "assemblyscript";

/** A plugin of vite's that writes the licences of all packages of which something is in the bundle. */
export function shippedLicences() {
  return {
    name: "shipped-licences",
    generateBundle(_options, bundle) {
      const names = new Set([IN_KERNELS]);
      const modules = Object.values(bundle).flatMap((file) => Object.keys(file.modules ?? {}));
      // Styles are no modules of the bundle any more.
      for (const id of [...modules, ...this.getModuleIds()]) {
        const name = packageOf(id);
        if (name !== undefined) names.add(name);
      }
      writeFileSync(
        LICENCES,
        [...names]
          .sort()
          .map(licenceOf)
          .join(`\n${"-".repeat(78)}\n\n`),
      );
    },
  };
}

function packageOf(id) {
  return /^.*[/\\]node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)/.exec(id)?.[1].replaceAll("\\", "/");
}

/** Licences that say that nothing has to go along. */
const WITHOUT_TEXT = ["Unlicense"];

/** @throws Error if the package has no text of its licence, though that has to go along */
function licenceOf(name) {
  const folder = join(root, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder).filter((file) => LICENCE.test(file));
  if (files.length === 0 && !WITHOUT_TEXT.includes(license))
    throw new Error(`${name} is built into the console and has no text of its licence`);
  const heading = `${name} ${version} (${license})\n`;
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8").trim());
  return `${[heading, ...texts].join("\n").trimEnd()}\n`;
}
