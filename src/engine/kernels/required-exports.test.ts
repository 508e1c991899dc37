// Kernels export what TypeScript calls, and nothing besides; a module of other sources is told by its functions.
import { describe, expect, test } from "vitest";
import { BUILDING_PARAMETERS } from "./building-functions.js";
import { KERNEL_PARAMETERS } from "./kernel-functions.js";
import { compiledBuildingKernels, compiledKernels, instantiateKernels } from "./kernel-module.js";
import { requireFunctions, requireOwnMemory } from "./required-exports.js";

function functionsOf(exports: object): string[] {
  return Object.entries(exports)
    .filter(([, exported]) => typeof exported === "function")
    .map(([name]) => name)
    .sort();
}

describe("what kernels export", () => {
  test("for searches is what their interface names", () => {
    const memory = new WebAssembly.Memory({ initial: 16, maximum: 1024, shared: true });
    const exports = instantiateKernels(compiledKernels()!, memory);
    expect(functionsOf(exports)).toEqual(Object.keys(KERNEL_PARAMETERS).sort());
  });

  test("for building is what their interface names", () => {
    const { exports } = new WebAssembly.Instance(compiledBuildingKernels()!);
    expect(functionsOf(exports)).toEqual(Object.keys(BUILDING_PARAMETERS).sort());
  });
});

describe("requireFunctions", () => {
  test("knows a function by its name and its number of parameters", () => {
    const exports = { add: (one: number, other: number) => one + other, memory: {} };
    expect(() => requireFunctions(exports, { add: 2 })).not.toThrow();
  });

  test.each([
    ["is missing", {}],
    ["is none", { add: 2 }],
    ["has another number of parameters", { add: (one: number) => one }],
  ])("names a function that %s", (_, exports) => {
    expect(() => requireFunctions(exports, { add: 2 })).toThrow(/no function 'add' of 2 parameters/);
  });
});

test("requireOwnMemory refuses a memory that is missing, or that threads share", () => {
  expect(() => requireOwnMemory({ memory: { buffer: new ArrayBuffer(8) } })).not.toThrow();
  for (const exports of [{}, { memory: null }, { memory: { buffer: new SharedArrayBuffer(8) } }]) {
    expect(() => requireOwnMemory(exports)).toThrow(/no memory of their own/);
  }
});
