// 200 summaries at a time, half of their readers asleep: each reader gets its own text, whole; what they take
// in memory is bounded and given back; searches are answered meanwhile.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ChatReply, FakeChatServer } from "../kit/fake-chat-server.js";
import { SummaryStream } from "./summary-stream.js";
import { WireServer } from "./wire-server.js";

const STREAMS = 200;
const PIECES = 20;
/** What the whole process takes for each stream: server, model and readers. */
const HEAP_PER_STREAM_MAX = 400_000;
const HEAP_LEFT_MAX = 10_000_000;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

let model: FakeChatServer;
let server: WireServer;
beforeAll(async () => {
  model = await FakeChatServer.start();
  server = await WireServer.start({ llmAllowedBaseUrls: [model.origin], logLevel: "warn" });
  await server.createIndex("books", { ai_enabled: true, ai: model.ai({ character_limit: 50_000 }) });
  const filler = "a long story of boots ".repeat(40);
  await server.addCommitted(
    "books",
    Array.from({ length: 20 }, (_, i) => ({ id: String(i), title: `boots ${i} ${filler}` })),
  );
});
afterAll(async () => {
  await server.stopAndRemove();
  await model.close();
});

async function heapUsed(): Promise<number> {
  for (let i = 0; i < 4; i++) {
    collectGarbage();
    await new Promise((resume) => setTimeout(resume, 20));
  }
  return process.memoryUsage().heapUsed;
}

const pieceOf = (name: string, i: number): string => `${name} tells piece ${i} of its story. `;
const textOf = (name: string): string => Array.from({ length: PIECES }, (_, i) => pieceOf(name, i)).join("");

/** A promise, and what resolves it. */
function gate(): readonly [Promise<void>, () => void] {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return [opened, open];
}

/** Opens all streams, holds them in the middle, does the work there, and lets them end. */
async function round(name: string, count: number, inTheMiddle: () => Promise<void>): Promise<void> {
  const nameOf = (i: number): string => `${name}x${i}`;
  const [middle, goOn] = gate();
  const [arrived, allArrived] = gate();
  let waiting = 0;
  model.answer = async (reply: ChatReply) => {
    const reader = /\nboots (\S+)\nEND TOPIC/.exec(reply.request.prompt)![1]!;
    for (let i = 0; i < PIECES; i++) {
      if (i === PIECES / 2) {
        if (++waiting === count) allArrived();
        await middle;
      }
      await reply.say(pieceOf(reader, i));
    }
    reply.finish();
  };
  const streams = await Promise.all(
    Array.from({ length: count }, (_, i) =>
      SummaryStream.open(server, "books", { query: { fuzzy: { ctx: `boots ${nameOf(i)}` } } }),
    ),
  );
  for (const [i, stream] of streams.entries()) if (i % 2 === 0) stream.pause();
  await arrived;
  await inTheMiddle();
  goOn();
  for (const [i, stream] of streams.entries()) {
    stream.resume();
    const { summary, events } = await stream.end();
    expect([summary, events.at(-1)!.name]).toEqual([textOf(nameOf(i)), "done"]);
  }
  model.replies.length = 0;
}

test(`${STREAMS} at a time`, async () => {
  await round("warm", 40, async () => undefined);
  const before = await heapUsed();
  await round("many", STREAMS, async () => {
    expect((await heapUsed()) - before).toBeLessThan(STREAMS * HEAP_PER_STREAM_MAX);
    expect(await server.idsOf("books", "title:7")).toEqual(["7"]);
  });
  expect((await heapUsed()) - before).toBeLessThan(HEAP_LEFT_MAX);
});
