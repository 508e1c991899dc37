import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { eventStoreSuite } from "./event-store-suite.js";
import { openTestEventStore } from "./open-test-event-store.js";

const folder = mkdtempSync(join(tmpdir(), "findling-events-"));

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

eventStoreSuite("DuckDB", () => openTestEventStore(join(folder, "measure")));
