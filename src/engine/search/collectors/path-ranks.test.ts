/** Ranks against sorting all paths that are known, however they came up; and when paths are ranked. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SeededRandom } from "../../../../tests/setup/seeded-random.js";
import { PathRanks } from "./path-ranks.js";

const RANKED_MAX = 4096;
const encoder = new TextEncoder();

/** Paths in the order in which they are numbered, those above each before it. */
class KnownPaths {
  readonly bytes: Uint8Array[] = [];
  readonly parents: number[] = [];
  readonly #paths: string[] = [];
  readonly ranks: PathRanks = new PathRanks(this.bytes, this.parents);

  add(path: string): void {
    if (this.#paths.includes(path)) return;
    const end = path.lastIndexOf("\0");
    if (end > 0) this.add(path.slice(0, end));
    this.parents.push(this.#paths.indexOf(path.slice(0, end)));
    this.#paths.push(path);
    this.bytes.push(encoder.encode(path));
  }

  /** By rank. */
  get sorted(): string[] {
    return this.#paths.toSorted((a, b) => (a < b ? -1 : 1));
  }

  check(): void {
    const { ranks, sorted } = this;
    expect(ranks.count).toBe(this.#paths.length);
    expect([...ranks.numbers].map((number) => this.#paths[number])).toEqual(sorted);
    expect([...ranks.ranks]).toEqual(this.#paths.map((path) => sorted.indexOf(path)));
    expect([...ranks.parents]).toEqual(
      sorted.map((path) => sorted.indexOf(path.slice(0, path.lastIndexOf("\0")))),
    );
  }
}

function searchesUntilRanked(known: KnownPaths, counted: number): number {
  for (let searches = 1; searches < 1000; searches++) {
    if (known.ranks.reach(known.bytes.length - 1, counted)) return searches;
  }
  return Infinity;
}

describe("PathRanks", () => {
  test("are those of all paths sorted, whenever some are added", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 - 1 }), (seed) => {
        const random = new SeededRandom(seed);
        const known = new KnownPaths();
        for (let round = 0; round < 4; round++) {
          const added = random.pick([1, 3, 40]);
          for (let i = 0; i < added; i++) {
            let path = "";
            for (let level = 0; level <= random.below(3); level++)
              path += `\0${"ab-"[random.below(3)]}${random.below(9)}`;
            known.add(path);
          }
          expect(searchesUntilRanked(known, 1 + random.below(50))).toBeLessThan(1000);
          known.check();
        }
      }),
      { numRuns: 100 },
    );
  });

  test("are made once searches have done without them for long enough, the sooner the fewer paths are new", () => {
    const known = new KnownPaths();
    for (let i = 0; i < 100; i++) known.add(`\0${i}`);
    expect(searchesUntilRanked(known, 100)).toBe(3);
    known.check();
    expect(known.ranks.reach(99, 1)).toBe(true);
    known.add("\0new");
    expect(known.ranks.reach(99, 100)).toBe(true);
    expect(known.ranks.count).toBe(100);
    expect(searchesUntilRanked(known, 5)).toBe(3);
    known.check();
  });

  test("are made of so many paths and no more", () => {
    const bytes = Array.from({ length: RANKED_MAX }, (_, i) => encoder.encode(`\0${i}`));
    const parents = bytes.map(() => -1);
    const ranks = new PathRanks(bytes, parents);
    expect(ranks.reach(0, 10 * RANKED_MAX)).toBe(true);
    expect(ranks.count).toBe(RANKED_MAX);
    bytes.push(encoder.encode("\0new"));
    parents.push(-1);
    expect(ranks.reach(RANKED_MAX, 10 * RANKED_MAX)).toBe(false);
    expect(ranks.reach(RANKED_MAX - 1, 1)).toBe(true);
  });
});
