/** The port's suite on the engine: written in place and in a thread, searched here and in threads. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  EmbeddedBackend,
  type EmbeddedBackendOptions,
} from "../../../src/adapters/embedded/embedded-backend.js";
import { ManualClock } from "../../kit/manual-clock.js";
import type { BackendUnderTest } from "./backend-under-test.js";
import { searchBackendSuite } from "./search-backend-suite.js";

/** Whatever a search costs, it runs in a thread. */
const IN_THREADS = { searchThreads: 1, searchCostHereMax: -1 };

for (const [name, options] of [
  ["embedded, all in this thread", {}],
  ["embedded, written in a thread", { writingThread: true }],
  ["embedded, written and searched in threads", { writingThread: true, ...IN_THREADS }],
] as const)
  searchBackendSuite({ name, open: () => openEmbedded(options) });

async function openEmbedded(options: Partial<EmbeddedBackendOptions>): Promise<BackendUnderTest> {
  const dataDirectory = mkdtempSync(join(tmpdir(), "findling-search-backend-"));
  const opened = () => EmbeddedBackend.open({ dataDirectory, clock: new ManualClock(), ...options });
  let backend = await opened();
  await backend.start([]);
  return {
    get backend() {
      return backend;
    },
    async restart(indexes) {
      await backend.stop();
      backend = await opened();
      await backend.start(indexes);
    },
    async close() {
      await backend.stop();
      rmSync(dataDirectory, { recursive: true, force: true });
    },
  };
}
