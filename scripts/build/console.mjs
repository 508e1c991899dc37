// The console, console/ with all that it imports, as files for browsers in dist/console: each once as it is and, where
// that is worth it, as .br and .gz, so that the server compresses nothing.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { consoleManual } from "./console-manual.mjs";
import { LICENCES, shippedLicences } from "./shipped-licences.mjs";
import { digestOf, releaseOf, root } from "./sources.mjs";

const FOLDER = join(root, "dist/console");
const COMPRESSED = /[.](html|js|css|json|svg)$/;
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
  "src/cli/import/schema-inference.ts",
  ...filesBelow("docs").filter((path) => path.endsWith(".md")),
  "scripts/build/console.mjs",
  "scripts/build/console-manual.mjs",
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
        treeshake: { moduleSideEffects: (id) => !/[/]src[/](contract|client|errors|cli)[/]/.test(id) },
      },
    },
  });
  await consoleManual(FOLDER);
  for (const path of filesBelow("dist/console").filter((each) => COMPRESSED.test(each)))
    compress(join(root, path));
  rmSync(join(FOLDER, ".built"), { force: true });
}

function compress(path) {
  const bytes = readFileSync(path);
  const smaller = {
    br: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    gz: gzipSync(bytes, { level: 9 }),
  };
  for (const [ending, compressed] of Object.entries(smaller))
    if (compressed.length < bytes.length) writeFileSync(`${path}.${ending}`, compressed);
}

/** Paths from the root, in order; without tests. */
function filesBelow(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes(".test."))
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(root.length + 1)
        .replaceAll("\\", "/"),
    )
    .sort();
}
