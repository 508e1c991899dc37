import { readFileSync } from "node:fs";
import { KERNEL_PARAMETERS, type KernelFunctions } from "./kernel-functions.js";
import { requireFunctions } from "./required-exports.js";

/** What `npm run build:kernels` writes; the path is the same from the sources and from what they compile to. */
const FOLDER = "../../../dist/engine/kernels/";

let searching: WebAssembly.Module | null | undefined;
let building: WebAssembly.Module | null | undefined;

/** The kernels, or null where they aren't built or WebAssembly lacks SIMD or threads. Compiled once. */
export function compiledKernels(): WebAssembly.Module | null {
  if (searching === undefined) searching = compile("kernels.wasm");
  return searching;
}

/** The same for kernels that build segments. */
export function compiledBuildingKernels(): WebAssembly.Module | null {
  if (building === undefined) building = compile("building.wasm");
  return building;
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
  requireFunctions<KernelFunctions>(exports, KERNEL_PARAMETERS);
  return exports;
}

function compile(name: string): WebAssembly.Module | null {
  try {
    return new WebAssembly.Module(readFileSync(new URL(FOLDER + name, import.meta.url)));
  } catch {
    // Everything that kernels do is done without them, too, slower.
    return null;
  }
}
