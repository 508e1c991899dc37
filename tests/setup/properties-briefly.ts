import fc from "fast-check";

/**
 * The quick suite runs a property for this long and counts its further cases as passed, at least {@link CASES_MIN} aside;
 * with `FINDLING_TEST_ALL=1`, as CI runs it, each has all of its cases. What a property counts (how often a rare state
 * was reached) it counts over some.
 */
const BRIEF_MS = 300;
const CASES_MIN = 3;

function briefly(): ReturnType<fc.Plugin<unknown>> {
  const end = performance.now() + BRIEF_MS;
  let ran = 0;
  let hasFailed = false;
  const noted = <T>(failure: T): T => {
    ran++;
    // From then on cases are those that make it smaller, and each of them says something.
    hasFailed ||= failure !== null && !fc.PreconditionFailure.isFailure(failure);
    return failure;
  };
  return {
    decorateRun: (run) => (value) => {
      if (!hasFailed && ran >= CASES_MIN && performance.now() > end) return null;
      const failure = run(value);
      return failure instanceof Promise ? failure.then(noted) : noted(failure);
    },
  };
}

// The files of a process share fast-check, and each would add one more.
const shared = globalThis as { propertiesAreBrief?: boolean };
if (process.env["FINDLING_TEST_ALL"] !== "1" && shared.propertiesAreBrief !== true) {
  shared.propertiesAreBrief = true;
  fc.installGlobalPlugin(briefly);
}
