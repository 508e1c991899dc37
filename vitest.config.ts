import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    pool: "forks",
    maxWorkers: 2,
    globalSetup: ["tests/setup/fresh-kernels.mjs"],
    include: ["src/**/*.test.ts", "tests/**/*.test.ts"],
    // No test may fail because the machine is busy: these only end what would never end.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000, interval: 10 } },
  },
});
