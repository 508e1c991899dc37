/** What a module exports, as JavaScript sees it. */
type Exports = Readonly<Record<string, unknown>>;

/**
 * How many parameters each function has: what an exported one can tell of itself. The compiler holds the counts
 * against the interface, `requireFunctions` holds them against the module. All of them are numbers on both sides.
 */
export type ParameterCounts<Functions> = {
  readonly [Name in keyof Functions]: Functions[Name] extends (
    ...numbers: infer Numbers extends number[]
  ) => unknown
    ? Numbers["length"]
    : never;
};

/** @throws TypeError naming the function that isn't exported so, as by a module that was built of other sources */
export function requireFunctions<Functions>(
  exports: Exports,
  counts: ParameterCounts<Functions> & Readonly<Record<string, number>>,
): asserts exports is Exports & Functions {
  for (const [name, count] of Object.entries<number>(counts)) {
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
