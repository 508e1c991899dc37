import { describe, expect, test } from "vitest";
import { RunningRequests } from "./request-watch.js";

describe("RunningRequests", () => {
  test("is idle at once when nothing runs", async () => {
    expect(await new RunningRequests().idle(0)).toBe(true);
  });

  test("waits for the last one", async () => {
    const running = new RunningRequests();
    running.arrived();
    running.arrived();
    const order: string[] = [];
    const idle = running.idle(60_000).then((isIdle) => order.push(`idle ${isIdle}`));
    running.ended();
    await new Promise((resolve) => setImmediate(resolve));
    order.push("one left");
    running.ended();
    await idle;
    expect(order).toEqual(["one left", "idle true"]);
  });

  test("gives up after the time", async () => {
    const running = new RunningRequests();
    running.arrived();
    expect(await running.idle(1)).toBe(false);
    expect(running.count).toBe(1);
  });
});
