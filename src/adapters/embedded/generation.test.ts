// Properties: a commit that changes something gives an index another generation; merges, which change nothing
// that is found, and commits of nothing leave it as it is. In place and in a thread of its own.

import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ManualClock } from "../../../tests/kit/manual-clock.js";
import { sampleIndex } from "../../../tests/query-kit/sample-index.js";
import { EmbeddedBackend } from "./embedded-backend.js";

const COMMITS = 12;

// An index is merged once it has rested for five seconds, for which both wait at a time.
test.concurrent.each([true, false])("writing in a thread: %j", async (writingThread) => {
  const folder = await mkdtemp(join(tmpdir(), "findling-generation-"));
  const backend = await EmbeddedBackend.open({
    dataDirectory: folder,
    clock: new ManualClock(),
    writingThread,
  });
  const segments = async (): Promise<number> =>
    (await readdir(join(folder, "indexes", "a"))).filter((name) => name.endsWith(".doc")).length;
  try {
    await backend.start([]);
    await backend.createIndex("a", sampleIndex().schema);
    const seen = new Set([await backend.generation("a")]);
    const expectLastSeen = async (): Promise<void> =>
      expect(await backend.generation("a")).toBe([...seen].at(-1));
    for (let n = 1; n <= COMMITS; n++) {
      await expectLastSeen();
      await backend.add("a", [{ id: String(n), title: "a word" }]);
      await expectLastSeen();
      await backend.commit("a");
      seen.add(await backend.generation("a"));
      expect(seen.size).toBe(n + 1);
    }
    await backend.commit("a");
    await expect.poll(segments).toBeLessThan(COMMITS);
    await expectLastSeen();
  } finally {
    await backend.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
