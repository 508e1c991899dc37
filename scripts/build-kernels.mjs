// Compiles the engine's AssemblyScript kernels to dist/engine/kernels/kernels.wasm, unless that is up to date.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";
import { unpackSource } from "./unpack-source.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const sources = "src/engine/kernels/assembly";
const target = join(root, "dist/engine/kernels/kernels.wasm");
const digestFile = `${target}.digest`;

/** Written by a program, so never to a file among the sources. */
const written = new Map([[`${sources}/unpack.generated.ts`, unpackSource()]]);

/** Without assertions and runtime: kernels neither allocate nor throw. */
const OPTIONS = [
  `${sources}/index.ts`,
  "--outFile",
  "kernels.wasm",
  "-O3",
  "--noAssert",
  "--converge",
  "--runtime",
  "stub",
  "--importMemory",
  "--sharedMemory",
  "--initialMemory",
  "1",
  "--maximumMemory",
  "65536",
  "--noExportMemory",
  "--use",
  "abort=",
  "--enable",
  "simd,bulk-memory,threads",
];

// Taken before the compiler reads the sources: what changes meanwhile is compiled the next time.
const wanted = digest();
if (!isUpToDate()) await compile();

function isUpToDate() {
  return existsSync(target) && existsSync(digestFile) && readFileSync(digestFile, "utf8") === wanted;
}

/** Of everything that the module depends on. */
function digest() {
  const hash = createHash("sha256");
  hash
    .update(asc.version ?? "")
    .update(OPTIONS.join(" "))
    .update(unpackSource());
  for (const name of readdirSync(join(root, sources)).sort()) {
    hash.update(name).update(readFileSync(join(root, sources, name)));
  }
  return hash.digest("hex");
}

async function compile() {
  const messages = [];
  const { error } = await asc.main(OPTIONS, {
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
      writeFileSync(digestFile, wanted);
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
