/**
 * Properties: whatever order writes of several indexes come in, all of them end; when one has got its room,
 * what is held passes the budget only by what that write brings, if by itself it is larger; the largest is
 * flushed first; where flushing fails, the writer hears of it, or is told to come again.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FindlingError } from "../../errors/index.js";
import { PendingMemory, type PendingMemoryUser } from "./pending-memory.js";

const BUDGET = 100;

/** An index as far as its memory is concerned: one write at a time, flushes among them. */
class Subject implements PendingMemoryUser {
  pendingBytes = 0;
  flushes = 0;
  isBroken = false;
  readonly #memory: PendingMemory;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(memory: PendingMemory) {
    this.#memory = memory;
  }

  write(bytes: number): Promise<void> {
    return this.#inTurn(async () => {
      await this.#memory.makeRoom(this, bytes);
      expect(this.#memory.bytes).toBeLessThanOrEqual(Math.max(BUDGET, bytes));
      await new Promise((resume) => setImmediate(resume));
      this.pendingBytes += bytes;
      this.#memory.added(this);
    });
  }

  async flush(): Promise<void> {
    await new Promise((resume) => setImmediate(resume));
    if (this.isBroken) throw new FindlingError("storage_unavailable", "the disk is full");
    this.flushes++;
    this.pendingBytes = 0;
    this.#memory.leave(this);
  }

  flushSoon(): Promise<void> {
    return this.#inTurn(() => this.flush()).catch(() => undefined);
  }

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(run);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}

describe("memory that several indexes share", () => {
  test("has room for every write in the end, and never more taken than there is", async () => {
    const write = fc.record({ user: fc.nat({ max: 4 }), bytes: fc.integer({ min: 1, max: 130 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(write, { maxLength: 60 }), fc.boolean(), async (writes, isAtOnce) => {
        const memory = new PendingMemory(BUDGET);
        const users = Array.from({ length: 5 }, () => new Subject(memory));
        const running: Promise<void>[] = [];
        for (const { user, bytes } of writes) {
          running.push(users[user]!.write(bytes));
          if (!isAtOnce) await running.at(-1);
        }
        await Promise.all(running);
      }),
      { numRuns: 300 },
    );
  });

  test("takes the largest first, and none without need", async () => {
    const memory = new PendingMemory(BUDGET);
    const [small, large, other] = [new Subject(memory), new Subject(memory), new Subject(memory)];
    await small.write(20);
    await large.write(60);
    await other.write(20);
    expect([small.flushes, large.flushes, other.flushes]).toEqual([0, 0, 0]);
    await small.write(10);
    expect([small.flushes, large.flushes, other.flushes]).toEqual([0, 1, 0]);
    expect(memory.bytes).toBe(50);
  });

  test("tells whose disk fails, and lets others flush themselves or come again", async () => {
    const memory = new PendingMemory(BUDGET);
    const [broken, sound] = [new Subject(memory), new Subject(memory)];
    await broken.write(70);
    await sound.write(20);
    broken.isBroken = true;
    await sound.write(25);
    expect(sound.flushes).toBe(1);
    await expect(sound.write(40)).rejects.toMatchObject({ code: "rate_limited", retryAfterSeconds: 1 });
    await expect(broken.write(10)).resolves.toBeUndefined();
    await expect(broken.write(30)).rejects.toMatchObject({ code: "storage_unavailable" });
    broken.isBroken = false;
    await sound.write(40);
    expect(broken.flushes).toBe(1);
  });

  test("takes what can't be refused any more all the same", async () => {
    const memory = new PendingMemory(BUDGET);
    const [broken, opened] = [new Subject(memory), new Subject(memory)];
    await broken.write(80);
    broken.isBroken = true;
    await expect(opened.write(30)).rejects.toMatchObject({ code: "rate_limited" });
    await memory.makeRoom(opened, 30, true);
    expect(memory.bytes).toBe(110);
    memory.added(opened);
  });

  test("lends at most half, and has all of it again afterwards", async () => {
    const memory = new PendingMemory(BUDGET);
    const user = new Subject(memory);
    await user.write(40);
    const [first, second] = [memory.lend(20), memory.lend(1000)];
    await user.write(10);
    expect(user.flushes).toBe(0);
    await user.write(10);
    expect(user.flushes).toBe(1);
    second();
    await user.write(70);
    expect(user.flushes).toBe(1);
    first();
    await user.write(20);
    expect([user.flushes, user.pendingBytes]).toEqual([1, BUDGET]);
  });
});
