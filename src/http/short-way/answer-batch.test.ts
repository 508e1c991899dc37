/**
 * Every reader gets its own answer whole, once, whatever others are answered in the same turn, be it read or not and
 * long or short; what can't be written is nobody's; who has gone is told of, too.
 */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WrittenAnswer } from "../answers/envelope.js";
import type { JsonWriter } from "../answers/json-writer.js";
import { AnswerBatch, type AnsweredRequest } from "./answer-batch.js";

class Letters extends WrittenAnswer {
  readonly #text: string;

  constructor(letter: string, length: number) {
    super();
    this.#text = letter.repeat(length);
  }

  override writeTo(writer: JsonWriter): void {
    writer.ascii(this.#text);
    if (this.#text.startsWith("!")) throw new Error("can't be written");
  }
}

let server: Server;
beforeAll(async () => {
  server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => server.close());

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
}

async function pair(): Promise<Pair> {
  const arrived = once(server, "connection") as Promise<[Socket]>;
  const far = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [[near]] = await Promise.all([arrived, once(far, "connect")]);
  // What is still on its way when the other end is destroyed.
  for (const socket of [near, far]) socket.on("error", () => socket.destroy());
  return { near, far };
}

async function pairsOf(count: number): Promise<readonly Pair[]> {
  const pairs: Pair[] = [];
  while (pairs.length < count) pairs.push(await pair());
  return pairs;
}

interface Sent extends AnsweredRequest {
  readonly answer: Letters;
  readonly text: string;
}

function request(socket: Socket, id: string, letter: string, length: number, arrivedMs: number): Sent {
  return {
    connection: { socket },
    head: { cors: [], requestId: id },
    arrivedMs,
    answer: new Letters(letter, length),
    text: letter.repeat(length),
  };
}

/** What arrives until so many answers have come whole. */
async function bodies(far: Socket, count: number): Promise<{ readonly id: string; readonly body: string }[]> {
  const found: { id: string; body: string }[] = [];
  if (count === 0) return found;
  let text = "";
  for await (const bytes of far as AsyncIterable<Buffer>) {
    text += bytes.toString("latin1");
    for (;;) {
      const end = text.indexOf("\r\n\r\n");
      const length = Number(/content-length: (\d+)/.exec(text.slice(0, end))?.[1]);
      if (end < 0 || text.length < end + 4 + length) break;
      const id = /x-request-id: (\S+)/.exec(text)![1]!;
      found.push({ id, body: text.slice(end + 4, end + 4 + length) });
      text = text.slice(end + 4 + length);
    }
    if (found.length === count) return found;
  }
  return found;
}

test("each gets its own", async () => {
  const lengths = fc.oneof(fc.nat(300), fc.nat(40_000), fc.constantFrom(70_000, 300_000, 3_000_000));
  const turn = fc.array(
    fc.record({
      reader: fc.nat(3),
      letter: fc.constantFrom("a", "b", "c", "!"),
      length: lengths,
      isOld: fc.boolean(),
    }),
    { minLength: 1, maxLength: 20 },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 3 }), async (turns) => {
      const pairs = await pairsOf(4);
      const told: string[] = [];
      const onSent = ({ head }: Sent): void => void told.push(head.requestId);
      const answers = new AnswerBatch<Sent>(1_000, onSent, () => 1_000);
      const expected = pairs.map((): { id: string; body: string }[] => []);
      for (const [at, answered] of turns.entries()) {
        for (const [place, { reader, letter, length, isOld }] of answered.entries()) {
          const id = `${at}-${place}`;
          const sent = request(pairs[reader]!.near, id, letter, length, isOld ? 0 : 999.9);
          if (letter === "!" && length > 0) {
            expect(() => answers.send(sent, sent.answer, false)).toThrow("can't be written");
          } else {
            answers.send(sent, sent.answer, false);
            expected[reader]!.push({ id, body: sent.text });
          }
        }
        await pause(0);
      }
      // Some answers were written while nobody read.
      const got = await Promise.all(pairs.map(({ far }, i) => bodies(far, expected[i]!.length)));
      expect(got).toEqual(expected);
      expect(told.toSorted()).toEqual(expected.flatMap((each) => each.map(({ id }) => id)).toSorted());
      for (const { near, far } of pairs) {
        near.destroy();
        far.destroy();
      }
    }),
    { numRuns: 25 },
  );
});

test("answers wait for the end of the turn, but not for long, not many, and not for nobody", async () => {
  const { near, far } = await pair();
  const told: string[] = [];
  let nowMs = 0;
  const onSent = ({ head }: Sent): void => void told.push(head.requestId);
  const answers = new AnswerBatch<Sent>(1_000, onSent, () => nowMs);
  const send = (id: string, tookMs: number, isAlone = false): void => {
    const sent = request(near, id, "x", 10, nowMs);
    nowMs += tookMs;
    answers.send(sent, sent.answer, isAlone);
  };
  send("first", 0.1);
  send("quick", 0.01);
  expect(told).toEqual([]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(told).toEqual(["first", "quick"]);
  send("dear", 1);
  expect(told).toHaveLength(3);
  send("quick and first", 0.01);
  expect(told).toHaveLength(4);
  send("alone", 0.1, true);
  expect(told).toHaveLength(5);
  for (let i = 0; i < 15; i++) send(`of many ${i}`, i === 0 ? 0.1 : 0);
  expect(told).toHaveLength(5);
  send("one too many", 0);
  expect(told).toHaveLength(21);
  send("one", 0.1);
  send("another", 0.1);
  expect(told).toHaveLength(21);
  send("too late for the first", 0.3);
  expect(told).toHaveLength(24);
  send("behind which a dear search begins", 0.1);
  answers.sendOverdue();
  expect(told).toHaveLength(24);
  // The dear one goes to a thread, and nobody sends it.
  nowMs += 4;
  answers.sendOverdue();
  expect(told).toHaveLength(25);
  answers.sendOverdue();
  expect(told).toHaveLength(25);
  near.destroy();
  far.destroy();
});

test("who has gone gets nothing, and the others theirs", async () => {
  const [gone, stays] = [await pair(), await pair()];
  const told: string[] = [];
  const onSent = ({ head }: Sent): void => void told.push(head.requestId);
  const answers = new AnswerBatch<Sent>(1_000, onSent, () => 0.1);
  for (const [id, { near }] of Object.entries({ gone, stays })) {
    const sent = request(near, id, "y", 10, 0);
    answers.send(sent, sent.answer, false);
  }
  gone.near.destroy();
  expect(await bodies(stays.far, 1)).toEqual([{ id: "stays", body: "yyyyyyyyyy" }]);
  expect(told).toEqual(["gone", "stays"]);
  stays.near.destroy();
  stays.far.destroy();
  gone.far.destroy();
});
