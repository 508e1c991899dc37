import { describe, expect, test } from "vitest";
import { ManualClock } from "../../../tests/kit/manual-clock.js";
import { SummaryCache } from "./summary-cache.js";

const summary = (text: string): { text: string; sources: []; count: number } => ({
  text,
  sources: [],
  count: 1,
});

describe("SummaryCache", () => {
  test("holds a thousand, the oldest goes first, and one that is put again is young again", () => {
    const cache = new SummaryCache(new ManualClock());
    for (let i = 0; i < 1_000; i++) cache.put(`key ${i}`, summary(String(i)));
    cache.put("key 0", summary("again"));
    for (let i = 1_000; i < 1_010; i++) cache.put(`key ${i}`, summary(String(i)));
    expect(cache.get("key 0")?.text).toBe("again");
    expect([cache.get("key 1"), cache.get("key 10")]).toEqual([undefined, undefined]);
    expect(cache.get("key 11")?.text).toBe("11");
    expect(cache.get("key 1009")?.text).toBe("1009");
  });

  test("holds 32 MiB, of texts and keys", () => {
    const cache = new SummaryCache(new ManualClock());
    const long = "x".repeat(1_000_000);
    for (let i = 0; i < 20; i++)
      cache.put(`${i}${i % 2 === 0 ? long : ""}`, summary(i % 2 === 0 ? "" : long));
    const held = Array.from(
      { length: 20 },
      (_, i) => cache.get(`${i}${i % 2 === 0 ? long : ""}`) !== undefined,
    );
    expect(held.filter((isHeld) => isHeld)).toHaveLength(16);
    expect(held.slice(4)).not.toContain(false);
    const call = {
      provider: "ollama",
      model: "m",
      temperature: 0,
      system: "",
      prompt: long,
      outcome: "done",
      attempts: 1,
      input_tokens: null,
      output_tokens: null,
      duration_ms: 1,
    } as const;
    cache.put("with a prompt", { ...summary(""), call });
    expect(cache.get(`4${long}`)).toBeUndefined();
    cache.put("too long for all of it", summary(long.repeat(20)));
    expect(cache.get("too long for all of it")).toBeUndefined();
  });

  test("forgets after five minutes", async () => {
    const clock = new ManualClock();
    const cache = new SummaryCache(clock);
    cache.put("a", summary("a"));
    await clock.advance(200_000);
    cache.put("b", summary("b"));
    await clock.advance(99_999);
    expect(cache.get("a")?.text).toBe("a");
    await clock.advance(1);
    expect([cache.get("a"), cache.get("b")?.text]).toEqual([undefined, "b"]);
  });
});
