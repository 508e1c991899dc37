import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { ownText } from "./own-text.js";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const WORDS = ["", "word", "a word that is a slice", "straße und Gäßchen", "слово за словом", "𝒳".repeat(9)];

test.each([...WORDS, "half of a pair: \ud835", "\udc00 and \ud800"])("equals %j", (text) => {
  expect(ownText(text)).toBe(text);
  expect(ownText(`${text}-----`.slice(0, text.length))).toBe(text);
});

test("keeps nothing of the text that it was cut out of", () => {
  const heap = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const kept: string[] = [];
  const before = heap();
  for (let n = 0; n < 100; n++) {
    const text = `thirteen letters ${n} ${"-".repeat(100_000)}${n}`;
    for (const cut of [text.slice(0, 16), text.slice(0, 12)]) kept.push(ownText(cut));
  }
  expect(heap() - before).toBeLessThan(2_000_000);
  expect(kept).toHaveLength(200);
});
