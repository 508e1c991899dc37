/** How much is resident is read from a file: with no descriptor left, that throws, in a timer where nobody catches it. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FreedMemory, GROWTH_BYTES } from "./freed-memory.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function noDescriptor(): Error {
  return Object.assign(new Error("EMFILE: too many open files, uv_resident_set_memory"), { code: "EMFILE" });
}

test("a process whose memory can't be looked at for a while goes on, and is looked at again", async () => {
  let bytes: number | null = 0;
  let asked = 0;
  const freed = new FreedMemory({
    residentBytes: () => {
      if (bytes === null) throw noDescriptor();
      return bytes;
    },
    giveBack: () => {
      asked++;
      return Promise.resolve();
    },
  });
  freed.start();
  bytes = null;
  expect(() => vi.advanceTimersByTime(20_000)).not.toThrow();
  bytes = GROWTH_BYTES;
  vi.advanceTimersByTime(5_000);
  await freed.stop();
  expect(asked).toBe(1);
});

test("nor does it end where the descriptors run out while memory is given back", async () => {
  let bytes: number | null = 0;
  const freed = new FreedMemory({
    residentBytes: () => {
      if (bytes === null) throw noDescriptor();
      return bytes;
    },
    giveBack: () => {
      bytes = null;
      return Promise.resolve();
    },
  });
  bytes = GROWTH_BYTES;
  freed.look();
  // `stop` waits for what is asked just then; a rejection that nobody waits for ends the process.
  await expect(freed.stop()).resolves.toBeUndefined();
});
