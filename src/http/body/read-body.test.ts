import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { BodyBudget } from "./body-budget.js";
import { readBody } from "./read-body.js";

const BYTES = 100_000;

function message(announced: number): IncomingMessage & PassThrough {
  return Object.assign(new PassThrough(), {
    headers: { "content-length": String(announced) },
  }) as unknown as IncomingMessage & PassThrough;
}

test("a body that stands still is refused once another one needs its room, and the rest is let through", async () => {
  let nowMs = 0;
  const budget = new BodyBudget(BYTES, () => nowMs);
  const still = message(BYTES);
  const refused = expect(readBody(still, BYTES, budget.lease())).rejects.toMatchObject({
    code: "rate_limited",
    message: expect.stringContaining("too slowly") as unknown,
  });
  still.write(Buffer.alloc(BYTES - 1));
  await new Promise((resume) => setImmediate(resume));
  nowMs = 20_000;
  const other = message(BYTES);
  const body = readBody(other, BYTES, budget.lease());
  other.end(Buffer.alloc(BYTES, "a"));
  await refused;
  expect((await body).toString()).toBe("a".repeat(BYTES));
  still.end(Buffer.alloc(1));
  await expect.poll(() => still.readableEnded).toBe(true);
});

test("a body in many pieces is whole, also where it is longer than the memory for its beginning", async () => {
  const bytes = Buffer.from(Array.from({ length: 3 << 20 }, (_, i) => i % 251));
  const sent = message(bytes.length);
  const body = readBody(sent, bytes.length, new BodyBudget(bytes.length).lease());
  for (let start = 0; start < bytes.length; start += 65_536)
    sent.write(bytes.subarray(start, start + 65_536));
  sent.end();
  expect((await body).equals(bytes)).toBe(true);
});
