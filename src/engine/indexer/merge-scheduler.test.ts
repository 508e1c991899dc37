/**
 * Properties, whatever arrives and whichever merge ends first: no segment is in two merges; merges that run
 * beside each other differ in size; while a large one runs, small ones go on; in the end the policy wants
 * nothing more. A merge that failed is tried again only when asked; one whose inputs are gone is no failure.
 */
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { spaceAnalyzer } from "../../../tests/kit/naive-text-field.js";
import { MemoryDirectory } from "../directory/memory-directory.js";
import { defineSchema } from "../schema/define-schema.js";
import { type OpenSegment, openSegment } from "../segment/open-segment.js";
import { MERGES_MAX, type MergePlan, planMerge } from "./merge-plan.js";
import { TieredMergePolicy } from "./merge-policy.js";
import { MergeScheduler } from "./merge-scheduler.js";
import { SegmentBuilder } from "./segment-builder.js";
import { WriterSegment } from "./writer-segment.js";

const policy = new TieredMergePolicy({ segmentsPerTier: 3, floorBytes: 10, maxMergedBytes: 1e9 });

/** Stands for every segment: only their sizes on disk differ here. */
let reader: OpenSegment;
beforeAll(async () => {
  const directory = new MemoryDirectory();
  const schema = defineSchema({ body: "text" });
  const builder = new SegmentBuilder(schema, spaceAnalyzer);
  for (let n = 0; n < 100; n++) builder.add(`${n}`.padStart(32, "0"), { body: "word" });
  await builder.write(directory, "s");
  reader = await openSegment(directory, "s", schema, null);
});

function segmentOf(bytes: number): WriterSegment {
  return new WriterSegment(reader, "committed", bytes, null);
}

/** An index whose merges end when a test wants them to. */
class FakeIndex {
  segments: WriterSegment[] = [];
  readonly errors: unknown[] = [];
  readonly running: { readonly plan: MergePlan; end(error?: Error): void }[] = [];
  mostAtOnce = 0;
  areInputsGone = false;
  readonly scheduler = new MergeScheduler({
    plan: (underWay) => {
      return Promise.resolve(planMerge(policy, this.segments, underWay, Infinity, () => "merged"));
    },
    run: (plan) => {
      const taken = this.running.flatMap((other) => other.plan.inputs.map(({ segment }) => segment));
      for (const { segment } of plan.inputs) expect(taken).not.toContain(segment);
      for (const other of this.running) {
        const [less, more] = [plan.bytes, other.plan.bytes].sort((a, b) => a - b) as [number, number];
        expect(more).toBeGreaterThanOrEqual(4 * less);
      }
      return new Promise((resolve, reject) => {
        const running = {
          plan,
          end: (error?: Error) => {
            this.running.splice(this.running.indexOf(running), 1);
            if (error === undefined) resolve(reader);
            else reject(error);
          },
        };
        this.running.push(running);
        this.mostAtOnce = Math.max(this.mostAtOnce, this.running.length);
      });
    },
    install: async ({ inputs, bytes }) => {
      const start = this.segments.indexOf(inputs[0]!.segment);
      const range = this.segments.slice(start, start + inputs.length);
      expect(range).toEqual(inputs.map(({ segment }) => segment));
      this.segments.splice(start, inputs.length, segmentOf(bytes));
    },
    discard: () => Promise.resolve(!this.areInputsGone),
    onError: (error) => this.errors.push(error),
  });

  commit(bytes: number): void {
    this.segments.push(segmentOf(bytes));
    this.scheduler.start();
  }

  /** Ends merges until there are none. */
  async endAll(): Promise<void> {
    for (await turns(); this.running.length > 0; await turns()) this.running[0]!.end();
  }
}

async function turns(): Promise<void> {
  await new Promise((resume) => setImmediate(resume));
}

const sizes = (index: FakeIndex): number[] => index.segments.map(({ bytes }) => bytes);

/** So that merges run side by side at least once, whatever else is drawn. */
const LARGE_THEN_SMALL = [3000, 3000, 3000, ...Array<1>(20).fill(1)].map((bytes) => ({
  bytes: bytes as 1 | 3000,
}));

describe("MergeScheduler", () => {
  test("keeps its promises whatever arrives and ends", async () => {
    let mostAtOnce = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            { weight: 3, arbitrary: fc.record({ bytes: fc.constantFrom(1, 5, 20, 100, 3000) }) },
            fc.record({ end: fc.nat(MERGES_MAX - 1) }),
          ),
          { minLength: 1, maxLength: 80 },
        ),
        async (steps) => {
          const index = new FakeIndex();
          let total = 0;
          for (const step of steps) {
            if ("bytes" in step) {
              index.commit(step.bytes);
              total += step.bytes;
            } else {
              index.running[step.end % Math.max(1, index.running.length)]?.end();
            }
            await turns();
          }
          await index.endAll();
          await index.scheduler.idle();
          expect(index.scheduler.isIdle).toBe(true);
          expect(sizes(index).reduce((sum, bytes) => sum + bytes, 0)).toBe(total);
          expect(planMerge(policy, index.segments, [], Infinity, () => "merged")).toBeNull();
          expect(index.mostAtOnce).toBeLessThanOrEqual(MERGES_MAX);
          mostAtOnce = Math.max(mostAtOnce, index.mostAtOnce);
        },
      ),
      { numRuns: 80, examples: [[LARGE_THEN_SMALL]] },
    );
    expect(mostAtOnce).toBeGreaterThan(1);
  });

  test("segments stay few while a large merge takes its time", async () => {
    const index = new FakeIndex();
    for (let i = 0; i < 3; i++) index.commit(100_000);
    await turns();
    expect(index.running.map(({ plan }) => plan.bytes)).toEqual([300_000]);
    for (let i = 0; i < 200; i++) {
      index.commit(10);
      await turns();
      const small = index.running.filter(({ plan }) => plan.bytes < 300_000);
      for (const { end } of small) end();
      await turns();
      expect(index.segments.length).toBeLessThan(3 + 15);
    }
    await index.endAll();
  });

  test("tries a merge that failed again when there is a new commit, and not before", async () => {
    const index = new FakeIndex();
    for (let i = 0; i < 3; i++) index.commit(10);
    await turns();
    index.running[0]!.end(new Error("no space"));
    await index.scheduler.idle();
    expect(index.errors).toHaveLength(1);
    expect(index.segments).toHaveLength(3);
    index.commit(10);
    await index.endAll();
    await index.scheduler.idle();
    expect(index.errors).toHaveLength(1);
    expect(sizes(index)).toEqual([30, 10]);
  });

  test("a merge whose inputs are gone is no failure", async () => {
    const index = new FakeIndex();
    for (let i = 0; i < 3; i++) index.commit(10);
    await turns();
    index.areInputsGone = true;
    index.segments.splice(1, 1);
    index.running[0]!.end(new Error("a file is missing"));
    await index.scheduler.idle();
    expect(index.errors).toEqual([]);
  });
});
