import { describe, expect, test } from "vitest";
import { WriteWindow } from "./write-window.js";

/** Requests that end when they are told to. */
class HeldRequests {
  readonly window = new WriteWindow();
  readonly #ends: (() => void)[] = [];
  readonly begun: number[] = [];
  #count = 0;

  send(count: number): void {
    for (let i = 0; i < count; i++) {
      const number = this.#count++;
      void this.window.through(() => {
        this.begun.push(number);
        return new Promise<void>((resolve) => this.#ends.push(resolve));
      });
    }
  }

  get underWay(): number {
    return this.#ends.length;
  }

  async end(count = 1): Promise<void> {
    for (const end of this.#ends.splice(0, count)) end();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("WriteWindow", () => {
  test("lets three through at first, the others in their order as those end", async () => {
    const requests = new HeldRequests();
    requests.send(6);
    expect(requests.underWay).toBe(3);
    await requests.end(2);
    expect(requests.underWay).toBe(3);
    await requests.end(3);
    expect(requests.underWay).toBe(1);
    expect(requests.begun).toEqual([0, 1, 2, 3, 4, 5]);
    await requests.end();
    requests.send(4);
    expect(requests.underWay).toBe(3);
  });

  test("grows with quick changes while somebody waits, and not for nobody", async () => {
    const requests = new HeldRequests();
    for (let i = 0; i < 10; i++) requests.window.noteChange(5);
    requests.send(80);
    expect(requests.underWay).toBe(3);
    for (let i = 0; i < 100; i++) {
      requests.window.noteChange(5);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(requests.underWay).toBe(64);
  });

  test("is half as large after each late change, and never less than three", async () => {
    const requests = new HeldRequests();
    requests.send(100);
    for (let i = 0; i < 13; i++) requests.window.noteChange(5);
    await requests.end(0);
    expect(requests.underWay).toBe(16);
    requests.window.noteChange(900);
    // What is under way goes on; nothing takes its place until it is less.
    for (const left of [15, 14, 13, 12, 11, 10, 9, 8, 8, 8]) {
      await requests.end();
      expect(requests.underWay).toBe(left);
    }
    for (let i = 0; i < 5; i++) requests.window.noteChange(900);
    for (let i = 0; i < 20; i++) await requests.end();
    expect(requests.underWay).toBe(3);
  });

  test("what fails makes room, too", async () => {
    const window = new WriteWindow();
    const failing = Array.from({ length: 10 }, () => window.through(() => Promise.reject(new Error("gone"))));
    expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(
      new Array(10).fill("rejected"),
    );
    expect(await window.through(async () => 1)).toBe(1);
  });
});
