// The engine's AssemblyScript kernels as dist/engine/kernels/*.wasm.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { digestOf, releaseOf, root, sourcesBelow } from "./sources.mjs";
import { unpackSource } from "./unpack-source.mjs";

const SOURCES = "src/engine/kernels/assembly";

/** Without assertions and runtime: kernels neither allocate garbage nor throw. */
const OPTIONS = ["-O3", "--noAssert", "--converge", "--runtime", "stub"];

/** Kernels that search, over images that threads share. */
const searching = kernels("kernels.wasm", `${SOURCES}/index.ts`, "simd,bulk-memory,threads", [
  ...["--importMemory", "--noExportMemory", "--sharedMemory"],
  ...["--initialMemory", "1", "--maximumMemory", "65536"],
]);

/** Kernels that build, each over a memory of its own. */
const building = kernels("building.wasm", `${SOURCES}/building/index.ts`, "simd,bulk-memory", []);

export const kernelModules = [searching, building];

function kernels(name, entry, features, more) {
  const target = `dist/engine/kernels/${name}`;
  const options = [entry, "--outFile", name, ...OPTIONS, ...more, "--use", "abort=", "--enable", features];
  return {
    name,
    stamp: `${target}.digest`,
    digest: () =>
      digestOf(
        sourcesBelow(SOURCES),
        `assemblyscript ${releaseOf("assemblyscript")}`,
        options.join(" "),
        unpackSource(),
      ),
    isThere: () => existsSync(join(root, target)),
    make: () => compile(join(root, target), options),
  };
}

async function compile(target, options) {
  const { default: asc } = await import("assemblyscript/asc");
  /** A program writes it, so it is never a file among the sources. */
  const written = new Map([[`${SOURCES}/unpack.generated.ts`, unpackSource()]]);
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
    },
    listFiles: () => [],
    stdout: { write: (text) => messages.push(text) },
    stderr: { write: (text) => messages.push(text) },
  });
  if (error !== null) throw new Error(`${messages.join("")}${error.message}`);
}
