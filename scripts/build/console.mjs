// The console, console/ with all that it imports, as files for browsers in dist/console.
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { compressFiles, filesBelow } from "./compressed-files.mjs";
import { LICENCES, shippedLicences } from "./shipped-licences.mjs";
import { digestOf, releaseOf, root } from "./sources.mjs";

const FOLDER = join(root, "dist/console");
const TOOLS = [
  "vite",
  "react",
  "react-dom",
  "@base-ui/react",
  "@tanstack/react-query",
  "@tanstack/react-table",
];

const sources = () => [
  ...filesBelow("console"),
  ...filesBelow("src/client"),
  ...filesBelow("src/contract"),
  ...filesBelow("src/json"),
  "src/cli/import/schema-inference.ts",
  "scripts/build/compressed-files.mjs",
  "scripts/build/console.mjs",
  "scripts/build/shipped-licences.mjs",
];

export const consoleApplication = {
  name: "the console",
  stamp: "dist/console/.built",
  digest: () => digestOf(sources(), ...TOOLS.map((tool) => `${tool} ${releaseOf(tool)}`)),
  isThere: () => existsSync(join(FOLDER, "index.html")) && existsSync(LICENCES),
  make: build,
};

async function build() {
  const vite = await import("vite");
  await vite.build({
    configFile: false,
    root: join(root, "console"),
    base: "/console/",
    logLevel: "warn",
    plugins: [shippedLicences()],
    // Nothing of the contract is needed but constants and types: the schemas around them stay out.
    build: {
      outDir: FOLDER,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      target: "es2022",
      chunkSizeWarningLimit: 1_000,
      rolldownOptions: {
        // Of components' own marks for servers, which have no meaning here.
        onwarn: (warning, warn) => warning.code !== "MODULE_LEVEL_DIRECTIVE" && warn(warning),
        treeshake: { moduleSideEffects: (id) => !/[/]src[/](contract|client|errors|json|cli)[/]/.test(id) },
      },
    },
  });
  compressFiles("dist/console");
  rmSync(join(FOLDER, ".built"), { force: true });
}
