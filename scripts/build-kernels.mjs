// Compiles the engine's AssemblyScript kernels to dist/engine/kernels/*.wasm, unless they are up to date.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";
import { unpackSource } from "./unpack-source.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const sources = "src/engine/kernels/assembly";

/** Written by a program, so never to a file among the sources. */
const written = new Map([[`${sources}/unpack.generated.ts`, unpackSource()]]);

/** Without assertions and runtime: kernels neither allocate garbage nor throw. */
const OPTIONS = ["-O3", "--noAssert", "--converge", "--runtime", "stub"];

/** Kernels that search, over images that threads share, and kernels that build, each over a memory of its own. */
const MODULES = [
  {
    name: "kernels.wasm",
    entry: `${sources}/index.ts`,
    options: [
      ...["--importMemory", "--noExportMemory", "--sharedMemory"],
      ...["--initialMemory", "1", "--maximumMemory", "65536"],
    ],
    features: "simd,bulk-memory,threads",
  },
  { name: "building.wasm", entry: `${sources}/building/index.ts`, options: [], features: "simd,bulk-memory" },
];

for (const module of MODULES) {
  const target = join(root, "dist/engine/kernels", module.name);
  const options = [module.entry, "--outFile", module.name, ...OPTIONS, ...module.options];
  options.push("--use", "abort=", "--enable", module.features);
  // Taken before the compiler reads the sources: what changes meanwhile is compiled the next time.
  const wanted = digest(options);
  if (!isUpToDate(target, wanted)) await compile(target, options, wanted);
}

function isUpToDate(target, wanted) {
  return (
    existsSync(target) &&
    existsSync(`${target}.digest`) &&
    readFileSync(`${target}.digest`, "utf8") === wanted
  );
}

/** Of everything that a module depends on. */
function digest(options) {
  const hash = createHash("sha256");
  hash
    .update(asc.version ?? "")
    .update(options.join(" "))
    .update(unpackSource());
  for (const name of readdirSync(join(root, sources), { recursive: true }).sort()) {
    if (name.endsWith(".ts")) hash.update(name).update(readFileSync(join(root, sources, name)));
  }
  return hash.digest("hex");
}

async function compile(target, options, wanted) {
  const messages = [];
  const { error } = await asc.main(options, {
    readFile: (name) => {
      const known = written.get(name);
      if (known !== undefined) return known;
      try {
        return readFileSync(join(root, name), "utf8");
      } catch {
        return null;
      }
    },
    writeFile: (_name, contents) => {
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(`${target}.tmp`, contents);
      renameSync(`${target}.tmp`, target);
      writeFileSync(`${target}.digest`, wanted);
    },
    listFiles: () => [],
    stdout: { write: (text) => messages.push(text) },
    stderr: { write: (text) => messages.push(text) },
  });
  if (error !== null) {
    console.error(messages.join(""));
    console.error(error.message);
    process.exitCode = 1;
  }
}
