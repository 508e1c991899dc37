import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServiceHarness } from "../../../tests/kit/service-harness.js";
import { Authority } from "../authority/authority.js";

const ADMIN = Authority.unrestricted();
const SECOND = 1_000;

let harness: ServiceHarness;
beforeEach(async () => {
  harness = await ServiceHarness.open();
});
afterEach(() => harness.close());

async function create(delay: number): Promise<void> {
  const index = { name: "books", fields: { id: { type: "text" } }, auto_commit_delay: delay };
  await harness.services.indexes.create({ index }, ADMIN);
}

async function add(): Promise<string> {
  return (await harness.services.documents.add("books", { id: "1" })).detail;
}

async function count(): Promise<number> {
  return (await harness.services.indexes.stats("books")).document_count;
}

function commits(): number {
  return harness.backend.calls.filter((call) => call === "commit").length;
}

test("off: nothing is committed by itself", async () => {
  await create(0);
  await add();
  expect(harness.clock.waiting).toBe(0);
});

test.each([0.001, 0.5, 1])("a delay of %d s commits before the write is answered", async (delay) => {
  await create(delay);
  expect(await add()).toBe("changes accepted and committed");
  expect(await count()).toBe(1);
  await harness.services.documents.deleteAll("books");
  expect(await count()).toBe(0);
  expect(harness.clock.waiting).toBe(0);
});

test("what a write says is committed, no rollback beside it takes away", async () => {
  await create(1);
  const { documents } = harness.services;
  expect(await Promise.all([add(), documents.rollback("books")])).toEqual([
    "changes accepted and committed",
    "rollback complete",
  ]);
  expect(await count()).toBe(1);
  const [removed] = await Promise.all([documents.deleteAll("books"), documents.rollback("books")]);
  expect(removed.detail).toBe("deletion accepted and committed");
  expect(await count()).toBe(0);
});

describe("a longer delay", () => {
  beforeEach(() => create(5));

  test("counts from the last write", async () => {
    await add();
    await harness.clock.advance(4 * SECOND);
    await add();
    await harness.clock.advance(4 * SECOND);
    expect(await count()).toBe(0);
    await harness.clock.advance(SECOND);
    expect(await count()).toBe(2);
    expect([commits(), harness.clock.waiting]).toEqual([1, 0]);
  });

  test("is ended by a commit or rollback", async () => {
    await add();
    await harness.services.documents.commit("books");
    expect(harness.clock.waiting).toBe(0);
    await add();
    await harness.services.documents.rollback("books");
    expect(harness.clock.waiting).toBe(0);
    expect(await count()).toBe(1);
  });

  test("begins anew for a write that comes during a commit", async () => {
    await add();
    const open = await holdUp(() => harness.services.documents.commit("books"));
    await add();
    await open();
    expect(harness.clock.waiting).toBe(1);
  });

  test("is forgotten where the index is replaced while the commit waits for it", async () => {
    await add();
    const index = { fields: { id: { type: "text" } }, auto_commit_delay: 5 };
    const open = await holdUp(() => harness.services.indexes.replace("books", { index }, ADMIN));
    await harness.clock.advance(5 * SECOND);
    await open();
    expect([commits(), harness.clock.waiting, harness.logger.lines]).toEqual([0, 0, []]);
  });

  test("is taken up again where a commit fails", async () => {
    await add();
    harness.backend.failNext("commit");
    await expect(harness.services.documents.commit("books")).rejects.toMatchObject({
      code: "storage_unavailable",
    });
    await harness.clock.advance(5 * SECOND);
    expect(await count()).toBe(1);
  });

  test("ends with the index", async () => {
    await add();
    await harness.services.indexes.replace(
      "books",
      { index: { fields: { id: { type: "text" } }, auto_commit_delay: 5 } },
      ADMIN,
    );
    expect(harness.clock.waiting).toBe(0);
    await add();
    await harness.services.indexes.delete("books");
    expect(harness.clock.waiting).toBe(0);
  });

  test("changes with the setting", async () => {
    await add();
    await harness.services.indexes.patch("books", { auto_commit_delay: 60 }, ADMIN);
    await harness.clock.advance(59 * SECOND);
    expect(await count()).toBe(0);
    await harness.clock.advance(SECOND);
    expect(await count()).toBe(1);
    await add();
    await harness.services.indexes.patch("books", { auto_commit_delay: 0 }, ADMIN);
    expect(harness.clock.waiting).toBe(0);
    await harness.services.indexes.patch("books", { auto_commit_delay: 1 }, ADMIN);
    await harness.clock.advance(0);
    expect(await count()).toBe(2);
  });

  test("is not touched by a patch of something else", async () => {
    await add();
    await harness.clock.advance(4 * SECOND);
    await harness.services.indexes.patch("books", { exclude_stop_words: false }, ADMIN);
    await harness.clock.advance(SECOND);
    expect(await count()).toBe(1);
  });

  test("may be longer than a timer can wait", async () => {
    const days = 100 * 24 * 3600;
    await harness.services.indexes.patch("books", { auto_commit_delay: days }, ADMIN);
    await add();
    await harness.clock.advance(days * SECOND - 1);
    expect(await count()).toBe(0);
    await harness.clock.advance(1);
    expect(await count()).toBe(1);
  });
});

describe("a commit that fails", () => {
  test("is logged and tried again, with longer and longer waits, until it goes through", async () => {
    await create(5);
    await add();
    harness.backend.failNext("commit", 4);
    await harness.clock.advance(5 * SECOND);
    await harness.clock.advance((1 + 2 + 5) * SECOND);
    expect([await count(), commits()]).toEqual([0, 4]);
    await harness.clock.advance(10 * SECOND);
    expect([await count(), commits(), harness.clock.waiting]).toEqual([1, 5, 0]);
    expect(harness.logger.lines.map((line) => line.level)).toEqual(["error", "error", "error", "error"]);
  });

  test("before the answer: the write is accepted and says so", async () => {
    await create(1);
    harness.backend.failNext("commit");
    expect(await add()).toContain("will be tried again");
    expect(await count()).toBe(0);
    await harness.clock.advance(SECOND);
    expect(await count()).toBe(1);
  });

  test("is not tried on another index of the same name", async () => {
    await create(5);
    await add();
    harness.backend.failNext("commit");
    await harness.clock.advance(5 * SECOND);
    await harness.services.indexes.delete("books");
    await create(0);
    await add();
    await harness.clock.advance(100 * SECOND);
    expect(await count()).toBe(0);
  });
});

describe("after a restart", () => {
  test.each([5, 1])("writes that were pending are committed in time (delay %d)", async (delay) => {
    await create(5);
    await add();
    await harness.catalog.putIndex(withDelay(delay));
    await harness.restart();
    expect(await count()).toBe(0);
    await harness.clock.advance(delay === 1 ? 0 : 5 * SECOND);
    expect(await count()).toBe(1);
  });

  test("nothing is scheduled where nothing is pending or commits are left to callers", async () => {
    await create(5);
    await harness.restart();
    expect(harness.clock.waiting).toBe(0);
    await create0();
    await harness.services.documents.add("manual", { id: "1" });
    await harness.restart();
    expect(harness.clock.waiting).toBe(0);
  });

  test("a back end that can't tell is asked to commit", async () => {
    await create(5);
    await add();
    harness.backend.failNext("hasPendingWrites");
    await harness.restart();
    await harness.clock.advance(5 * SECOND);
    expect(await count()).toBe(1);
  });
});

test("writes to an index that was replaced while the start asked for pending ones are committed in time", async () => {
  await create(5);
  await add();
  let release = () => {};
  harness.backend.gate = new Promise((resolve) => {
    release = resolve;
  });
  await harness.restart();
  harness.backend.gate = Promise.resolve();
  const replacement = { name: "books", fields: { id: { type: "text" } }, auto_commit_delay: 5 };
  await harness.services.indexes.replace("books", { index: replacement }, ADMIN);
  await add();
  release();
  await new Promise((settled) => setImmediate(settled));
  await harness.clock.advance(5 * SECOND);
  expect(await count()).toBe(1);
});

test("a stop waits for the commit under way and starts no other", async () => {
  await create(5);
  await add();
  let events: string[] = [];
  const open = await holdUp(async () => {
    await harness.clock.advance(5 * SECOND);
    await harness.services.stop();
    events = [...events, "stopped"];
  });
  events = [...events, "commit goes on"];
  await open();
  expect(events).toEqual(["commit goes on", "stopped"]);
  expect(await count()).toBe(1);
});

/**
 * Starts the work and stops the back end's operations that it comes to; those of later work pass.
 * Resolves with what lets the work end.
 */
async function holdUp(work: () => Promise<unknown>): Promise<() => Promise<void>> {
  let release = () => {};
  harness.backend.gate = new Promise((resolve) => {
    release = resolve;
  });
  const before = harness.backend.calls.length;
  const running = work();
  await expect.poll(() => harness.backend.calls.length).toBeGreaterThan(before);
  for (let turn = 0; turn < 20; turn++) await new Promise((settled) => setImmediate(settled));
  harness.backend.gate = Promise.resolve();
  return async () => {
    release();
    await running;
  };
}

function withDelay(auto_commit_delay: number) {
  const index = harness.catalog.index("books");
  if (index === undefined) throw new Error("the index is missing");
  return { ...index, schema: { ...index.schema, auto_commit_delay } };
}

async function create0(): Promise<void> {
  await harness.services.indexes.create(
    { index: { name: "manual", fields: { id: { type: "text" } } } },
    ADMIN,
  );
}
