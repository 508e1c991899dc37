import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LeaseLength } from "./lease-length.js";

describe("LeaseLength", () => {
  test("before a quick cluster others don't wait long, and before a slow one twelve seconds at most", () => {
    const lease = new LeaseLength();
    expect(lease.ms).toBe(2_500);
    lease.noteChange(20);
    expect(lease.ms).toBe(2_500);
    lease.noteChange(60_000);
    expect(lease.ms).toBe(12_000);
    for (let i = 0; i < 50; i++) lease.noteChange(20);
    expect(lease.ms).toBe(2_500);
  });

  test("a lease outlasts its own renewal as long as that takes less than four seconds", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(3_900), { minLength: 1 }), (changes) => {
        const lease = new LeaseLength();
        for (const ms of changes) lease.noteChange(ms);
        const last = changes.at(-1)!;
        expect(lease.ms - lease.renewMs).toBeGreaterThan(last);
      }),
    );
  });
});
