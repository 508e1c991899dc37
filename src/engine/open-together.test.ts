/** Property: indexes that share memory are opened together, whatever their journals hold, with all that is pending. */
import { expect, test } from "vitest";
import { PendingMemory } from "./indexer/pending-memory.js";
import { defineSchema, Index, MemoryDirectory } from "./server-door.js";

const SCHEMA = defineSchema({ id: "keyword", body: "text" });
const BODIES = 12;
const DOCUMENTS_PER_BODY = 40;

test("indexes whose journals hold more than their memory are opened together", async () => {
  const directories = [new MemoryDirectory(), new MemoryDirectory(), new MemoryDirectory()];
  for (const directory of directories) {
    const index = await Index.create(directory, SCHEMA, { pendingMemory: new PendingMemory(64 << 20) });
    for (let body = 0; body < BODIES; body++) {
      const documents = Array.from({ length: DOCUMENTS_PER_BODY }, (_, i) => ({
        id: `${body}-${i}`,
        body: "word ".repeat(20) + i * body,
      }));
      await index.add(documents);
    }
    await index.close();
  }
  const pendingMemory = new PendingMemory(1 << 19);
  const opened = await Promise.all(directories.map((directory) => Index.open(directory, { pendingMemory })));
  for (const index of opened) {
    await index.commit();
    expect(index.documentCount).toBe(BODIES * DOCUMENTS_PER_BODY);
    await index.close();
  }
});
