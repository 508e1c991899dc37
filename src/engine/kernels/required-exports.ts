/** What a module exports, as JavaScript sees it. */
type Exports = Readonly<Record<string, unknown>>;

type ParameterCounts = Readonly<Record<string, number>>;

type Numbers<Count extends number, Taken extends readonly number[] = []> = Taken["length"] extends Count
  ? Taken
  : Numbers<Count, readonly [...Taken, number]>;

/** Functions by how many numbers each takes. What one gives is a number, or of no use. */
export type FunctionsOf<Counts extends ParameterCounts> = {
  readonly [Name in keyof Counts]: (...numbers: Numbers<Counts[Name]>) => number;
};

/** @throws TypeError naming the function that isn't exported so, as by a module that was built of other sources */
export function requireFunctions<Counts extends ParameterCounts>(
  exports: Exports,
  counts: Counts,
): asserts exports is Exports & FunctionsOf<Counts> {
  for (const [name, count] of Object.entries(counts)) {
    const exported = exports[name];
    if (typeof exported !== "function" || exported.length !== count) {
      throw new TypeError(
        `the kernels export no function '${name}' of ${count} parameters; build them again`,
      );
    }
  }
}

/** @throws TypeError if the module exports no memory, or one that threads share */
export function requireOwnMemory(
  exports: Exports,
): asserts exports is Exports & { readonly memory: { readonly buffer: ArrayBuffer } } {
  const { memory } = exports;
  const hasBuffer = typeof memory === "object" && memory !== null && "buffer" in memory;
  if (!hasBuffer || !(memory.buffer instanceof ArrayBuffer)) {
    throw new TypeError("the kernels export no memory of their own; build them again");
  }
}
