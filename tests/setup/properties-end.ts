import fc from "fast-check";

/**
 * Less than a test may take. What fast-check does to make a failing case smaller may take hours, and a test that ends by
 * its own limit then says nothing of the case; here it ends by the smallest case known, with its seed.
 */
const LIMIT_MS = 200_000;

// The files of a process share fast-check, and each would add one more.
const shared = globalThis as { propertiesEnd?: boolean };
if (shared.propertiesEnd !== true) {
  shared.propertiesEnd = true;
  fc.installGlobalPlugin(fc.interruptAfterTimeLimit(LIMIT_MS, { failOnInterrupt: true }));
}
