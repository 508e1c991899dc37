import { setImmediate as others } from "node:timers/promises";
import type { StoredEvent } from "../../ports/event-store.js";
import { toRow } from "./event-row.js";

/** Events between two pauses: some 0.4 ms. A thousand at once would hold up searches for ten times as long. */
const SLICE_EVENTS = 100;

/** The events as lines of JSON; many are made a few at a time, so that requests are answered meanwhile. */
export function rowsOf(events: readonly StoredEvent[]): Buffer | Promise<Buffer> {
  return events.length <= SLICE_EVENTS ? joined(events) : inSlices(events);
}

async function inSlices(events: readonly StoredEvent[]): Promise<Buffer> {
  const slices: Buffer[] = [];
  for (let start = 0; start < events.length; start += SLICE_EVENTS) {
    if (start > 0) await others();
    slices.push(joined(events.slice(start, start + SLICE_EVENTS)));
  }
  return Buffer.concat(slices);
}

function joined(events: readonly StoredEvent[]): Buffer {
  return Buffer.from(events.map(toRow).join(""));
}
