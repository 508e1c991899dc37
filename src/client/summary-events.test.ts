import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SummaryEvent } from "../contract/summary.js";
import { FindlingClientError } from "./findling-client-error.js";
import { summaryEvents } from "./summary-events.js";

const FRAMES = [
  'event: metadata\ndata: {"results_count":2,"cached":false}\n\n',
  ": keep-alive\n\n",
  'event: delta\ndata: {"content":"Grüße 👋\\n\\n"}\n\n',
  'event: news\ndata: {"of":"later"}\n\n',
  'event: done\ndata: {"results_count":2}\n\n',
].join("");

const broken = () => new FindlingClientError({ status: 200, code: "connection_lost", message: "broken" });

async function eventsOf(chunks: Iterable<Uint8Array>): Promise<SummaryEvent[]> {
  const events: SummaryEvent[] = [];
  for await (const event of summaryEvents(ReadableStream.from(chunks), broken)) events.push(event);
  return events;
}

describe("summaryEvents", () => {
  test("reads the same events however the bytes are cut, and leaves out what it doesn't know", async () => {
    const bytes = Buffer.from(FRAMES);
    const cuts = fc.uniqueArray(fc.integer({ min: 0, max: bytes.length }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(cuts, async (at) => {
        const ends = [...at.toSorted((a, b) => a - b), bytes.length];
        const chunks = ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end));
        expect(await eventsOf(chunks)).toEqual([
          { name: "metadata", data: { results_count: 2, cached: false } },
          { name: "delta", data: { content: "Grüße 👋\n\n" } },
          { name: "done", data: { results_count: 2 } },
        ]);
      }),
    );
  });

  test("says so where the stream breaks off", async () => {
    await expect(eventsOf([Buffer.from(FRAMES.slice(0, 60))])).rejects.toMatchObject({
      code: "connection_lost",
    });
  });
});
