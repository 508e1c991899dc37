import { describe, expect, test } from "vitest";
import { UnreadAnswers } from "./unread-answers.js";

class Reader {
  isCut = false;

  destroy(): never {
    this.isCut = true;
    return undefined as never;
  }
}

describe("UnreadAnswers", () => {
  test("cuts off whoever has been reading for longest, until the rest fits", () => {
    const unread = new UnreadAnswers(100);
    const readers = Array.from({ length: 4 }, () => new Reader());
    for (const reader of readers.slice(0, 3)) unread.add(reader, 30);
    expect(unread.bytes).toBe(90);
    unread.add(readers[3]!, 50);
    expect(readers.map(({ isCut }) => isCut)).toEqual([true, true, false, false]);
    expect(unread.bytes).toBe(80);
  });

  test("forgets an answer that was taken, once", () => {
    const unread = new UnreadAnswers(100);
    const first = new Reader();
    const taken = unread.add(first, 60);
    taken();
    taken();
    const second = new Reader();
    unread.add(second, 100);
    expect([first.isCut, second.isCut, unread.bytes]).toEqual([false, false, 100]);
  });

  test("lets one by itself be larger, until others come", () => {
    const unread = new UnreadAnswers(100);
    const large = new Reader();
    const ended = unread.add(large, 1000);
    expect(large.isCut).toBe(false);
    const small = new Reader();
    unread.add(small, 1);
    expect([large.isCut, small.isCut, unread.bytes]).toEqual([true, false, 1]);
    ended();
    expect(unread.bytes).toBe(1);
  });
});
