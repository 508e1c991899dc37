/**
 * Property: where examples of what a thread makes anew are kept, V8 keeps most of what it has compiled for them through
 * collections of garbage that find nothing else of their kind; without examples it doesn't. Needs the build.
 */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

const ENGINE = JSON.stringify(new URL("../../../dist/engine/server-door.js", import.meta.url).href);
const ROUNDS = 3;

/** Functions that V8 throws away because objects they work on are gone, while an index is written in a process of its own. */
function thrownAway(keepsShapes: boolean): number {
  const output = execFileSync(
    process.execPath,
    [
      "--expose-gc",
      "--trace-deopt",
      "--input-type=module",
      "--eval",
      `
      import { defineSchema, Index, keepWritingShapes, MemoryDirectory } from ${ENGINE};
      if (${keepsShapes}) await keepWritingShapes();
      const schema = defineSchema({ title: "text", tag: "keyword", year: "u64", shelf: "facet" });
      const index = await Index.create(new MemoryDirectory(), schema);
      const word = (number) => "word" + ((number * 7919) % 3001);
      for (let round = 0; round < ${ROUNDS}; round++) {
        for (let body = 0; body < 3; body++) {
          await index.add(
            Array.from({ length: 500 }, (_, i) => ({
              title: Array.from({ length: 12 }, (_, at) => word(i * 31 + at + round)).join(" "),
              tag: word(i + body),
              year: 1900 + (i % 100),
              shelf: "/shelf/" + (i % 40),
            })),
          );
        }
        await index.commit();
        gc();
      }
      await index.close();
    `,
    ],
    { encoding: "utf8" },
  );
  return output.split("\n").filter((line) => line.includes("reason: weak objects")).length;
}

// Later releases throw nothing away here, with examples or without.
const throwsAway = process.versions.node.startsWith("20.");

test.runIf(throwsAway)("what was compiled for objects that come and go is kept with examples of them", () => {
  const without = thrownAway(false);
  expect(without).toBeGreaterThan(ROUNDS);
  expect(thrownAway(true)).toBeLessThan(without / 2);
});
