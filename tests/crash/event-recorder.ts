/**
 * A process that records events until it is killed: `event-recorder.ts <folder> <prefix> <url or "">`.
 * It prints the ids of each batch once it is acknowledged, and asks for a flush again and again, so
 * that many a kill hits the moment at which events go from the disk into the store.
 */
import type { StoredEvent } from "../../src/ports/event-store.js";
import { openTestEventStore } from "../ports/open-test-event-store.js";

const [folder, prefix, url] = process.argv.slice(2);
const store = await openTestEventStore(folder!, url === "" ? {} : { url });
let next = 0;

async function record(): Promise<never> {
  for (;;) {
    const size = 1 + Math.floor(Math.random() * 40);
    const ids = Array.from({ length: size }, () => `${prefix}-${next++}`);
    await store.record(ids.map(eventOf));
    process.stdout.write(`${ids.join(" ")}\n`);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
  }
}

function eventOf(eventId: string): StoredEvent {
  return { eventId, receivedAt: Date.now(), eventName: "search_completed", indexNames: [], userId: "u" };
}

async function flush(): Promise<never> {
  for (;;) {
    // While ClickHouse is away, events wait on disk.
    await store.flush().catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 100));
  }
}

process.stdout.write("ready\n");
await Promise.all([record(), record(), record(), flush()]);
