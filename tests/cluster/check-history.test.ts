/**
 * The checker by histories of a store that is right, with calls that overlap and answers that are lost, and by the same
 * histories with one fault of each kind.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkHistory } from "./check-history.js";
import type { Operation, ReadOperation } from "./history.js";

const between = (invoked: number, returned: number | null) => ({ invoked, returned });
const write = (at: [number, number | null], ...documents: string[]): Operation => ({
  kind: "write",
  documents,
  ...between(...at),
});
const remove = (at: [number, number | null], count: number, ...documents: string[]): Operation => ({
  kind: "delete",
  documents,
  count,
  ...between(...at),
});
const commit = (...at: [number, number | null]): Operation => ({ kind: "commit", ...between(...at) });
const rollback = (...at: [number, number | null]): Operation => ({ kind: "rollback", ...between(...at) });
const read = (at: [number, number], ...documents: string[]): Operation => ({
  kind: "read",
  documents,
  invoked: at[0],
  returned: at[1],
});

const isRight = (...operations: Operation[]) => checkHistory(operations).isLinearizable;

describe("what may be", () => {
  test("writes are seen from their commit on", () => {
    expect(
      isRight(
        write([0, 1], "a", "b"),
        read([2, 3]),
        commit(4, 9),
        read([5, 6]),
        read([7, 8], "a", "b"),
        read([10, 11], "a", "b"),
      ),
    ).toBe(true);
  });

  test("a write beside a commit is in it, or in the next one", () => {
    for (const seen of [["a"], []])
      expect(isRight(write([0, 10], "a"), commit(5, 6), read([11, 12], ...seen))).toBe(true);
  });

  test("what has no answer may have happened, late or never, a write in part", () => {
    for (const seen of [[], ["a"], ["b"], ["a", "b"]])
      expect(
        isRight(
          write([0, null], "a", "b"),
          commit(1, 2),
          rollback(3, 4),
          commit(5, 6),
          read([7, 8], ...seen),
        ),
      ).toBe(true);
    for (const seen of [[], ["a"]])
      expect(isRight(write([0, 1], "a"), commit(2, null), read([3, 4], ...seen))).toBe(true);
  });

  test("a delete takes what its count says", () => {
    expect(
      isRight(write([0, 1], "a", "b"), commit(2, 3), remove([4, 5], 2, "a", "b"), commit(6, 7), read([8, 9])),
    ).toBe(true);
    expect(isRight(write([0, 1], "a"), remove([2, 3], 0, "a"), commit(4, 5), read([6, 7], "a"))).toBe(false);
  });
});

describe("planted faults", () => {
  test("a lost commit", () => {
    expect(isRight(write([0, 1], "a"), commit(2, 3), read([4, 5]))).toBe(false);
  });

  test("a stale read", () => {
    expect(
      isRight(write([0, 1], "a"), commit(2, 6), read([3, 4], "a"), read([4.5, 5])),
      "older than what another has seen",
    ).toBe(false);
  });

  test("a torn read", () => {
    expect(checkHistory([write([0, 1], "a", "b"), commit(2, 6), read([3, 4], "a")])).toMatchObject({
      isLinearizable: false,
      problem: expect.stringContaining("torn"),
    });
  });

  test("a torn commit of several writes", () => {
    expect(isRight(write([0, 1], "a"), write([0, 1], "b"), commit(2, 6), read([3, 4], "a"))).toBe(false);
  });

  test("a resurrected rollback", () => {
    expect(
      isRight(write([0, 1], "a"), rollback(2, 3), write([4, 5], "b"), commit(6, 7), read([8, 9], "a", "b")),
    ).toBe(false);
  });

  test("a deleted document that comes back with a rollback after the commit", () => {
    expect(
      isRight(
        write([0, 1], "a"),
        commit(2, 3),
        remove([4, 5], 1, "a"),
        commit(6, 7),
        rollback(8, 9),
        read([10, 11], "a"),
      ),
    ).toBe(false);
  });

  test("what is pending is seen", () => {
    expect(isRight(write([0, 1], "a"), read([2, 3], "a"))).toBe(false);
  });

  test("a problem says what a read lacks", () => {
    const verdict = checkHistory([write([0, 1], "a"), commit(2, 3), read([4, 5])]);
    expect(verdict).toMatchObject({ problem: expect.stringContaining("lacks [a]") });
  });
});

type Action = {
  readonly kind: Operation["kind"];
  readonly lead: number;
  readonly lag: number;
  readonly isLost: boolean;
};

const actions: fc.Arbitrary<readonly Action[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(
      "write" as const,
      "delete" as const,
      "commit" as const,
      "rollback" as const,
      "read" as const,
    ),
    /** How long before and after its moment a call begins and ends: several overlap. */
    lead: fc.integer({ min: 0, max: 25 }),
    lag: fc.integer({ min: 1, max: 25 }),
    isLost: fc.integer({ min: 0, max: 19 }).map((n) => n === 0),
  }),
  { maxLength: 60 },
);

/** What a right store would have answered, each action at one moment; answers that are lost may have been given or not. */
function historyOf(list: readonly Action[]): Operation[] {
  let committed: string[] = [];
  let pending: string[] = [];
  const happen = ({ kind, lead, lag, isLost }: Action, i: number): Operation => {
    const at = i * 10;
    const timed = { invoked: at - lead, returned: isLost ? null : at + lag };
    const isDone = !isLost || i % 2 === 0;
    switch (kind) {
      case "write": {
        const documents = Array.from({ length: 1 + (i % 3) }, (_, n) => `${i}-${n}`);
        if (isDone) pending = [...pending, ...documents];
        return { kind, documents, ...timed };
      }
      case "delete": {
        const documents = pending.slice(0, 2);
        if (isDone) pending = pending.slice(documents.length);
        return { kind, documents, count: documents.length, ...timed };
      }
      case "commit":
        if (isDone) committed = pending;
        return { kind, ...timed };
      case "rollback":
        if (isDone) pending = committed;
        return { kind, ...timed };
      case "read":
        return { kind, documents: committed, invoked: at - lead, returned: at + lag };
    }
  };
  return list.map(happen);
}

test("every history of a right store is explained", () => {
  fc.assert(
    fc.property(actions, (list) => {
      expect(checkHistory(historyOf(list))).toMatchObject({ isLinearizable: true });
    }),
  );
});

test("a read that has lost or invented a document is found", () => {
  fc.assert(
    fc.property(actions, fc.nat(), fc.boolean(), (list, which, isInvented) => {
      const history = historyOf(list.map((action) => ({ ...action, isLost: false, lead: 0, lag: 1 })));
      const reads = history.filter((each): each is ReadOperation => each.kind === "read");
      const changed = reads[which % Math.max(1, reads.length)];
      if (changed === undefined || (!isInvented && changed.documents.length === 0)) return;
      const documents = isInvented ? [...changed.documents, "never"] : changed.documents.slice(1);
      const wrong = history.map((each) => (each === changed ? { ...changed, documents } : each));
      expect(checkHistory(wrong)).toMatchObject({ isLinearizable: false });
    }),
  );
});
