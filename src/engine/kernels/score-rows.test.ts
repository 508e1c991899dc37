/**
 * Lists with rows of score bytes, alone or beside lists without, give the documents and scores that adding up every
 * document's scores gives, whatever these are: tied, next to one another, of all magnitudes; from any threshold that
 * enough documents exceed.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SeededRandom } from "../../../tests/setup/seeded-random.js";
import { type JoinedList, JoinedMemory } from "./joined-memory.js";
import { compiledKernels } from "./kernel-module.js";
import { kernelPace } from "./segment-kernels.js";

const SHARES = [0.002, 0.02, 0.05, 0.3, 0.97];
/** Smallest and greatest score that lists may have together. */
const TINY = 2e-20;
const HUGE = 1e38;

type ScoreDraw = (random: SeededRandom) => number;

const DRAWS: Record<string, ScoreDraw> = {
  even: (random) => 0.5 + random.next(),
  alike: () => 3.25,
  tied: (random) => random.pick([1, 2, 2.5, 4]),
  near: (random) => 7 + random.below(4) * 2 ** -21,
  steep: (random) => 10 ** (random.next() * 6 - 3),
  tiny: (random) => TINY * (1 + random.next()),
  scattered: (random) => (random.below(100) === 0 ? 1000 : TINY * 10 ** (random.next() * 20)),
  huge: (random) => (HUGE / 8) * random.next() + 1,
};

interface Drawn {
  readonly docs: readonly number[];
  readonly scores: ReadonlyMap<number, number>;
}

function draw(random: SeededRandom, maxDoc: number, share: number, scoreOf: ScoreDraw): Drawn {
  const scores = new Map<number, number>();
  for (let doc = 0; doc < maxDoc; doc++)
    if (random.next() < share) scores.set(doc, Math.fround(scoreOf(random)));
  return { docs: [...scores.keys()], scores };
}

/** Added up in the order of the lists, as the evaluators do; best first, ties by document. */
function expected(lists: readonly Drawn[], isConjunction: boolean): { doc: number; score: number }[] {
  const sums = new Map<number, number>();
  for (const doc of new Set(lists.flatMap(({ docs }) => docs))) {
    if (isConjunction && lists.some(({ scores }) => !scores.has(doc))) continue;
    let sum = 0;
    for (const { scores } of lists) sum = Math.fround(sum + (scores.get(doc) ?? 0));
    sums.set(doc, sum);
  }
  return [...sums].map(([doc, score]) => ({ doc, score })).sort((a, b) => b.score - a.score || a.doc - b.doc);
}

function joinedIn(memory: JoinedMemory, { docs, scores }: Drawn, maxDoc: number): JoinedList {
  return memory.add(docs.length, maxDoc, (docRoom, scoreRoom) => {
    docRoom.set(docs);
    scoreRoom.set([...scores.values()]);
    return docs.length;
  })!;
}

function found(
  { kernels }: JoinedMemory,
  lists: readonly JoinedList[],
  options: { maxDoc: number; isConjunction: boolean; limit: number; least: number; counting: number },
): { count: number; hits: { doc: number; score: number }[] } {
  const { functions, layout } = kernels;
  kernels.lists.begin();
  for (const [i, list] of lists.entries()) kernels.lists.addScored(list, options.isConjunction ? i : 0);
  kernels.interruptedBy({ check() {} });
  const count = functions.topTerms(
    kernelPace.postings,
    layout.lists,
    lists.length,
    layout.groups,
    options.maxDoc,
    0,
    layout.hitScores,
    layout.hitDocs,
    options.limit,
    options.least,
    options.isConjunction ? kernels.lists.orderByDocFreq() : 0,
    options.counting,
  );
  const hits = Array.from({ length: functions.endTop() }, (_, place) => ({
    doc: kernels.hitDocs[place]!,
    score: kernels.hitScores[place]!,
  }));
  return { count, hits };
}

const lists = fc.array(
  fc.record({ share: fc.constantFrom(...SHARES), scoreOf: fc.constantFrom(...Object.keys(DRAWS)) }),
  { minLength: 2, maxLength: 5 },
);

describe.skipIf(compiledKernels() === null)("score rows", () => {
  test("lose no document", () => {
    const memory = JoinedMemory.create(9000)!;
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2 ** 31 - 1 }),
        fc.constantFrom(300, 4096, 9000),
        lists,
        fc.array(
          fc.record({
            isConjunction: fc.boolean(),
            limit: fc.integer({ min: 1, max: 50 }),
            knows: fc.boolean(),
            counting: fc.constantFrom(0, 1),
          }),
          { minLength: 6, maxLength: 6 },
        ),
        (seed, maxDoc, kinds, searches) => {
          const random = new SeededRandom(seed);
          memory.clear();
          const drawn = kinds
            .map(({ share, scoreOf }) => draw(random, maxDoc, share, DRAWS[scoreOf]!))
            .filter(({ docs }) => docs.length > 0);
          if (drawn.length < 2) return;
          const joined = drawn.map((list) => joinedIn(memory, list, maxDoc));
          expect(joined.every(({ isKept }) => isKept)).toBe(true);
          for (const { isConjunction, limit, knows, counting } of searches) {
            const wanted = expected(drawn, isConjunction);
            // What as many documents exceed as are wanted, as searches before have found out.
            const exceeded = Math.fround((wanted[limit - 1]?.score ?? 0) * (1 - 2 ** -20));
            const least = knows && exceeded > 0 && exceeded < wanted[limit - 1]!.score ? exceeded : -1;
            const { count, hits } = found(memory, joined, { maxDoc, isConjunction, limit, least, counting });
            expect(hits).toEqual(wanted.slice(0, limit));
            // Alternatives aren't always counted on the way.
            if (counting === 1 && (isConjunction || count >= 0)) expect(count).toBe(wanted.length);
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  test.each([true, false])(
    "serve no lists whose greatest scores add up to no number: all %o",
    (isConjunction) => {
      const random = new SeededRandom(1);
      const memory = JoinedMemory.create(9000)!;
      // No document has both.
      const drawn = [0, 1].map((great) => {
        const { docs, scores } = draw(random, 9000, 0.3, () => 1 + random.next());
        return { docs, scores: new Map([...scores]).set(docs[great]!, Math.fround(3e38)) };
      });
      expect(drawn[0]!.docs[0]).not.toBe(drawn[1]!.docs[1]);
      const joined = drawn.map((list) => joinedIn(memory, list, 9000));
      const options = { maxDoc: 9000, isConjunction, limit: 10, least: -1, counting: 0 };
      expect(found(memory, joined, options).hits).toEqual(expected(drawn, isConjunction).slice(0, 10));
    },
  );

  test("are made of lists in many of the documents, where there is room for several", () => {
    const scoreOf: ScoreDraw = () => 1;
    const random = new SeededRandom(1);
    const memory = JoinedMemory.create(9000)!;
    expect(joinedIn(memory, draw(random, 9000, 0.05, scoreOf), 9000).row).toBeGreaterThan(0);
    expect(joinedIn(memory, draw(random, 9000, 0.02, scoreOf), 9000).row).toBeGreaterThan(0);
    expect(joinedIn(memory, draw(random, 9000, 0.013, scoreOf), 9000).row).toBe(0);
    const large = JoinedMemory.create(1_000_000)!;
    expect(joinedIn(large, draw(random, 1_000_000, 0.04, scoreOf), 1_000_000).row).toBe(0);
  });
});
