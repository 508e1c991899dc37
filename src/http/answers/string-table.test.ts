/** The text is the one that JSON writes, be the number new, known or in the place of another. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { NumberTable } from "./string-table.js";

function textAt(words: Uint32Array, place: number): string {
  const bytes = Buffer.from(words.buffer, 4 * (place + 1), words[place]);
  return bytes.toString("latin1");
}

test("says of each number what JSON says", () => {
  const numbers = new NumberTable();
  const written = fc.oneof(
    fc.double(),
    fc.float(),
    fc.integer(),
    fc.constantFrom(0, -0, -5e-324, -1.2345678901234567e-308, -0.0000012345678901234567, 2 ** 70, -(2 ** 69)),
  );
  fc.assert(
    fc.property(fc.array(written, { maxLength: 100 }), (values) => {
      for (const value of [...values, ...values])
        expect(textAt(numbers.words, numbers.placeOf(value))).toBe(JSON.stringify(value));
    }),
  );
});

test("goes on right when there are more numbers than places", () => {
  const numbers = new NumberTable();
  for (const turn of [0, 1]) {
    for (let i = 0; i < 20_000; i++) {
      const value = Math.fround(i / 7) + turn;
      if (textAt(numbers.words, numbers.placeOf(value)) !== String(value)) expect.fail(`${value}`);
    }
  }
});
