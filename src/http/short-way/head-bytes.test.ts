/** A request is known by the head of another exactly if its own is the same but for the body's length, which is right. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { HeadBytes } from "./plain-head.js";

const BEFORE = "POST /index/a/search HTTP/1.1\r\nhost: b\r\nContent-Length: ";
const BEHIND = "\r\nauthorization: c\r\n\r\n";
const lengths = fc.oneof(
  fc.integer({ min: 0, max: 5_000 }),
  fc.constantFrom(0, 1, 8, 9, 10, 98, 99, 100, 998, 999, 1_000, 4_095, 4_096, 4_097, 9_999, 10_000),
);

/** By reading it as text. */
function expectedStart(text: string): number {
  const rest = text.startsWith(BEFORE) ? text.slice(BEFORE.length) : "";
  const [, digits] = /^([1-9][0-9]{0,3})\r/.exec(rest) ?? [];
  if (digits === undefined || Number(digits) > 4_096) return -1;
  const start = BEFORE.length + digits.length + BEHIND.length;
  return rest.slice(digits.length).startsWith(BEHIND) && text.length === start + Number(digits) ? start : -1;
}

test("finds the body where the text says that it is", () => {
  const known = new HeadBytes(BEFORE, BEHIND);
  const found = new Set<boolean>();
  fc.assert(
    fc.property(
      lengths,
      fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: -2, max: 2 })),
      fc.option(fc.record({ at: fc.nat(), to: fc.integer({ min: 0x20, max: 0x7e }) }), { freq: 4 }),
      fc.constantFrom("", "0", " "),
      (length, more, changed, filling) => {
        const body = "7".repeat(Math.max(0, length + more));
        const bytes = Buffer.from(`${BEFORE}${filling}${length}${BEHIND}${body}`, "latin1");
        if (changed !== null) bytes[changed.at % bytes.length] = changed.to;
        const start = expectedStart(bytes.toString("latin1"));
        found.add(start >= 0);
        expect(known.bodyStartIn(bytes, bytes.length)).toBe(start);
      },
    ),
    { numRuns: 2_000 },
  );
  expect(found.size).toBe(2);
});

test("a piece that is shorter than the head isn't known by it", () => {
  const known = new HeadBytes(BEFORE, BEHIND);
  const whole = Buffer.from(`${BEFORE}12${BEHIND}${"7".repeat(12)}`);
  for (let length = 0; length < whole.length; length++) expect(known.bodyStartIn(whole, length)).toBe(-1);
  expect(known.bodyStartIn(whole, whole.length)).toBe(whole.length - 12);
});
