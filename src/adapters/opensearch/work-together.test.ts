import { expect, test } from "vitest";
import { WorkTogether } from "./work-together.js";

const later = () => new Promise<void>((resolve) => setImmediate(resolve));

test("no more goes on at a time than was said, and all is done in the end", async () => {
  const together = new WorkTogether(3);
  let going = 0;
  let most = 0;
  let done = 0;
  for (let i = 0; i < 20; i++) {
    await together.begin(async () => {
      most = Math.max(most, ++going);
      for (let turns = 0; turns <= i % 4; turns++) await later();
      going--;
      done++;
    });
  }
  await together.done();
  expect([most, done, going]).toEqual([3, 20, 0]);
});

test("a failure ends what would begin, and settles after what goes on", async () => {
  const together = new WorkTogether(2);
  const begun: number[] = [];
  const ended: number[] = [];
  const work = (i: number) => async () => {
    begun.push(i);
    await later();
    if (i === 1) throw new Error("one");
    await later();
    ended.push(i);
  };
  const beginAll = async () => {
    for (let i = 0; i < 10; i++) await together.begin(work(i));
  };
  await expect(beginAll()).rejects.toThrow("one");
  await together.settled();
  expect(ended).toEqual(begun.filter((i) => i !== 1));
  expect(begun.length).toBeLessThan(5);
  await expect(together.done()).rejects.toThrow("one");
});
