/** Counts are 0 again whatever was counted, and however it was told. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { CountRoom } from "./count-room.js";

const CAPACITY = 40;
const ADDRESS = 64;

test("counts are 0 again after those of a search were all listed, some were, or none", () => {
  const searches = fc.array(
    fc.record({
      size: fc.integer({ min: 0, max: CAPACITY }),
      numbers: fc.array(fc.nat(CAPACITY - 1)),
      isListed: fc.boolean(),
    }),
  );
  fc.assert(
    fc.property(searches, (rounds) => {
      const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
      const room = new CountRoom(memory, ADDRESS, CAPACITY);
      const all = new Int32Array(memory.buffer);
      for (const { size, numbers, isListed } of rounds) {
        const { words } = room.clear(size);
        expect([...words.subarray(0, CAPACITY)]).toEqual(new Array(CAPACITY).fill(0));
        const counted = [...new Set(numbers.filter((number) => number < size))];
        for (const [place, number] of counted.entries()) {
          all[room.address / 4 + number] = place + 1;
          all[room.listAddress / 4 + place] = number;
        }
        if (isListed) room.list(counted.length);
      }
      expect(all.subarray(0, ADDRESS / 4).some((word) => word !== 0)).toBe(false);
      expect(all.subarray((ADDRESS + CountRoom.bytesFor(CAPACITY)) / 4).some((word) => word !== 0)).toBe(
        false,
      );
    }),
  );
});
