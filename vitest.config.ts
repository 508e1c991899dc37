import { configDefaults, defineConfig } from "vitest/config";
import { LONG_TESTS } from "./tests/setup/long-tests.js";

const shared = {
  pool: "forks",
  // No test may fail because the machine is busy: these only end what would never end.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000, interval: 10 } },
} as const;

export default defineConfig({
  test: {
    maxWorkers: 2,
    globalSetup: ["tests/setup/before-tests.mjs"],
    projects: [
      {
        test: {
          ...shared,
          name: "quick",
          include: ["src/**/*.test.ts", "tests/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...LONG_TESTS],
        },
      },
      { test: { ...shared, name: "long", include: [...LONG_TESTS] } },
    ],
  },
});
