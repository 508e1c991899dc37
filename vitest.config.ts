import { configDefaults, defineConfig } from "vitest/config";
import { LONG_TESTS } from "./tests/setup/long-tests.js";
import { TESTS_IN_PROCESSES_OF_THEIR_OWN } from "./tests/setup/process-of-its-own.js";

const notQuick = [...configDefaults.exclude, ...LONG_TESTS];
const setupFiles = ["tests/setup/properties-end.ts", "tests/setup/quick-equality.ts"];
const quickSetupFiles = [...setupFiles, "tests/setup/properties-briefly.ts"];
const shared = {
  pool: "forks" as const,
  // No test may fail because the machine is busy: these only end what would never end.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000, interval: 10 } },
};

export default defineConfig({
  test: {
    maxWorkers: 2,
    globalSetup: ["tests/setup/before-tests.mjs"],
    projects: [
      {
        test: {
          ...shared,
          name: "quick-alone",
          include: [...TESTS_IN_PROCESSES_OF_THEIR_OWN],
          exclude: notQuick,
          setupFiles: quickSetupFiles,
        },
      },
      {
        test: {
          ...shared,
          name: "quick",
          include: ["src/**/*.test.ts", "tests/**/*.test.ts"],
          exclude: [...notQuick, ...TESTS_IN_PROCESSES_OF_THEIR_OWN],
          // Loading the modules for each file anew would take as long as the tests.
          isolate: false,
          setupFiles: [...quickSetupFiles, "tests/setup/leaves-nothing.ts"],
        },
      },
      { test: { ...shared, name: "long", include: [...LONG_TESTS], setupFiles } },
    ],
  },
});
