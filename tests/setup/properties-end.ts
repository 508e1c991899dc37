import fc from "fast-check";

/**
 * What fast-check does to make a failing case smaller may take hours, and a test that ends by its own limit then says
 * nothing of the case; here it has this long, and the property ends by the smallest case known, with its seed.
 */
const SHRINKING_MS = 60_000;

function endShrinking(): ReturnType<fc.Plugin<unknown>> {
  let end = Number.POSITIVE_INFINITY;
  const noted = <T>(failure: T): T => {
    // A case that a property passes over is none.
    if (failure !== null && !fc.PreconditionFailure.isFailure(failure))
      end = Math.min(end, performance.now() + SHRINKING_MS);
    return failure;
  };
  return {
    decorateRun: (run) => (value) => {
      // What is taken for passed is no smaller failure.
      if (performance.now() > end) return null;
      const failure = run(value);
      return failure instanceof Promise ? failure.then(noted) : noted(failure);
    },
  };
}

// The files of a process share fast-check, and each would add one more.
const shared = globalThis as { propertiesEnd?: boolean };
if (shared.propertiesEnd !== true) {
  shared.propertiesEnd = true;
  fc.installGlobalPlugin(endShrinking);
}
