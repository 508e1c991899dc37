import { readFileSync } from "node:fs";
import { FindlingError } from "../../errors/index.js";
import { KERNEL_PARAMETERS, type KernelFunctions } from "./kernel-functions.js";
import { requireFunctions } from "./required-exports.js";

/** What `npm run build:kernels` writes; the path is the same from the sources and from what they compile to. */
const FOLDER = "../../../dist/engine/kernels/";

let searching: WebAssembly.Module | null | undefined;
let building: WebAssembly.Module | undefined;

/** The kernels, or null where they aren't built or WebAssembly lacks SIMD or threads. Compiled once. */
export function compiledKernels(): WebAssembly.Module | null {
  if (searching === undefined) searching = compile("kernels.wasm");
  return searching;
}

/**
 * Kernels that build segments, and unfold them: nothing does without. Compiled once.
 *
 * @throws FindlingError `internal` where they aren't built or WebAssembly lacks SIMD
 */
export function compiledBuildingKernels(): WebAssembly.Module {
  try {
    building ??= new WebAssembly.Module(bytesOf("building.wasm"));
    return building;
  } catch (error) {
    throw new FindlingError(
      "internal",
      "the kernels that build segments can't be loaded; build them with 'npm run build:kernels', on a Node with WebAssembly SIMD",
      { cause: error },
    );
  }
}

/**
 * Reads and compiles all kernels now. Without it that is done when one is first needed, for which a process
 * that has run out of file descriptors has none left.
 *
 * @throws FindlingError `internal` as `compiledBuildingKernels`
 */
export function loadKernels(): void {
  compiledKernels();
  compiledBuildingKernels();
}

/** What kernels ask of TypeScript. */
export interface KernelCallbacks {
  /** What a document's score is multiplied with, f32 from 0 to 1. */
  readonly decayFactor: (docId: number) => number;
  /** Throws if the search at hand is to end. Asked between steps of some milliseconds at most. */
  readonly checkInterrupt: () => void;
}

const NO_LISTS: KernelCallbacks = { decayFactor: () => 1, checkInterrupt() {} };

/**
 * Kernels over a memory of images.
 *
 * @param callbacks needless where there are no lists
 * @throws WebAssembly.LinkError if the memory isn't shared; TypeError if the module was built of other sources
 */
export function instantiateKernels(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
  callbacks: KernelCallbacks = NO_LISTS,
): KernelFunctions {
  const { exports } = new WebAssembly.Instance(module, { env: { memory, ...callbacks } });
  requireFunctions(exports, KERNEL_PARAMETERS);
  return exports;
}

function compile(name: string): WebAssembly.Module | null {
  try {
    return new WebAssembly.Module(bytesOf(name));
  } catch {
    // Everything that these kernels do is done without them, too, slower.
    return null;
  }
}

function bytesOf(name: string): Uint8Array<ArrayBuffer> {
  return readFileSync(new URL(FOLDER + name, import.meta.url));
}
