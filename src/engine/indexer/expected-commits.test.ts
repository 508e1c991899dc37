/** Properties: a commit is expected after as many writes as came before each of the last two, and at no other time. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ExpectedCommits } from "./expected-commits.js";

describe("commits that are expected", () => {
  test("come after as many writes as the last two", () => {
    const what = fc.constantFrom("write", "write", "commit", "rollback");
    fc.assert(
      fc.property(fc.array(what, { maxLength: 40 }), (events) => {
        const expected = new ExpectedCommits();
        const intervals: number[] = [];
        let writes = 0;
        for (const event of events) {
          if (event === "write") {
            writes++;
            expected.noteWrite();
          } else if (event === "commit") {
            intervals.push(writes);
            writes = 0;
            expected.noteCommit();
          } else {
            writes = 0;
            expected.noteRollback();
          }
          const [before, last] = intervals.slice(-2);
          expect(expected.isNext).toBe(writes > 0 && before === writes && last === writes);
        }
      }),
    );
  });

  test("are known after two documents of one each", () => {
    const expected = new ExpectedCommits();
    for (const isNext of [false, false, true, true]) {
      expected.noteWrite();
      expect(expected.isNext).toBe(isNext);
      expected.noteCommit();
    }
  });
});
