// A collection is asked for once many images were dropped since the last one, whoever has begun that.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DroppedImages } from "./dropped-images.js";

const MEBIBYTE = 1024 * 1024;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as (options?: { readonly type: "minor" }) => void;
/** In a turn of its own: what a turn has looked at is there until its end. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

let asked: number;
let dropped: DroppedImages;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  asked = 0;
  dropped = new DroppedImages(() => asked++);
});

afterEach(() => {
  vi.useRealTimers();
});

async function drop(count: number): Promise<number> {
  for (let i = 0; i < count; i++) dropped.add(MEBIBYTE);
  vi.runAllTimers();
  await turn();
  return asked;
}

describe("dropped images", () => {
  test("ask for a collection once they are many, and again after as many more", async () => {
    expect(await drop(15)).toBe(0);
    expect(await drop(1)).toBe(1);
    expect(await drop(15)).toBe(1);
    expect(await drop(1)).toBe(2);
  });

  test("that are dropped together are asked for together", async () => {
    expect(await drop(100)).toBe(1);
  });

  test("don't count once garbage has been collected", async () => {
    for (let round = 0; round < 4; round++) {
      expect(await drop(15)).toBe(0);
      collectGarbage();
      await turn();
    }
    expect(await drop(15)).toBe(0);
    expect(await drop(1)).toBe(1);
  });

  test("count when only what is young has been collected", async () => {
    expect(await drop(15)).toBe(0);
    collectGarbage({ type: "minor" });
    await turn();
    expect(await drop(1)).toBe(1);
  });
});
