/**
 * Properties, at every single I/O operation that an index makes:
 * - if it fails once, the call that made it is refused and nothing of it happens, or the index says
 *   that it must be opened again; nothing acknowledged is lost either way;
 * - if the process is killed or the power fails there, nothing acknowledged is lost, nothing rolled
 *   back comes back, and the interrupted call happened whole or not at all;
 * - with a full disk, calls are refused until there is room, and the index goes on;
 * and `checkIndex` finds every flipped byte.
 * Method: one seeded life of an index is run once to count its operations, then once per operation.
 */
import { describe, expect, test } from "vitest";
import { writtenApart } from "../../src/engine/indexer/body-segments.js";
import { durableMerge } from "../../src/engine/indexer/merge-plan.js";
import { zerosAhead } from "../../src/engine/journal/journal.js";
import {
  checkIndex,
  defineSchema,
  Index,
  type IndexOptions,
  type Query,
  TieredMergePolicy,
} from "../../src/engine/server-door.js";
import { FindlingError } from "../../src/errors/index.js";
import { CrashModel, type PendingWrite } from "../crash/crash-model.js";
import { SeededRandom } from "../setup/seeded-random.js";
import { FaultyDirectory } from "./faulty-directory.js";

const SCHEMA = defineSchema({
  id: "keyword",
  body: "text",
  n: "u64",
  key: { kind: "text", keyed: true },
  path: { kind: "facet", multi: true },
  note: { kind: "text", indexed: false, stored: false },
});
// The documents are short, but bodies are to become segments before they are recorded, merges to be of both kinds, and
// zeros to be written ahead of the journal's end.
writtenApart.bytesMin = 0;
durableMerge.bytesMin = 3000;
Object.assign(zerosAhead, { entriesMin: 3, bytesMin: 63_000 });

const SEEDS = Number(process.env["FINDLING_TEST_SIMULATION_SEEDS"] ?? 2);

/** An index on a directory that may fail, and what its client knows. */
class Life {
  directory: FaultyDirectory;
  readonly model = new CrashModel();
  #index: Index | null = null;
  #created = false;
  #nextId = 0;
  /** By id. Those of before an interruption stay: a key is of use to one document at a time. */
  readonly #keys = new Map<string, string>();
  readonly #options: IndexOptions;

  /** @param checkpointAfterMs null: commit points are made when they are asked for, however slow the machine is */
  constructor(directory: FaultyDirectory, checkpointAfterMs: number | null = null) {
    this.directory = directory;
    this.#options = { ...OPTIONS, checkpointAfterMs };
  }

  /** Lives through some steps; ends early if the directory dies. */
  async run(random: SeededRandom, steps: number): Promise<void> {
    for (let step = 0; step < steps && !this.directory.isDead; step++) {
      if (this.#index === null && !(await this.#open())) continue;
      await this.#step(random);
      const index = this.#index as Index | null;
      if (index !== null && index.failure !== null && !this.directory.isDead) await this.judge();
    }
    if (this.#index !== null) await quietly((this.#index as Index).close());
  }

  /** Opens what is on the disk now, and compares it with what must be there. */
  async judge(): Promise<void> {
    this.directory.failAt(0);
    this.directory.capacity = null;
    if (this.#index !== null) await quietly(this.#index.close());
    this.#index = null;
    if (!this.#created && !(await this.directory.list()).some((name) => name.startsWith("commit-"))) return;
    const report = await checkIndex(this.directory);
    expect(report.problems).toEqual([]);
    const index = await Index.open(this.directory, this.#options);
    const visible = idsOf(index);
    await index.commit();
    expect(this.model.judge(visible, idsOf(index))).toEqual([]);
    this.#index = index;
    this.#created = true;
  }

  async #open(): Promise<boolean> {
    try {
      this.#index = this.#created
        ? await Index.open(this.directory, this.#options)
        : await Index.create(this.directory, SCHEMA, this.#options);
      this.#created = true;
      return true;
    } catch (error) {
      expectRefusal(error);
      // A creation that failed may have come to its end all the same.
      this.#created ||= (await this.directory.list().catch(() => [])).some((name) =>
        name.startsWith("commit-"),
      );
      return false;
    }
  }

  async #step(random: SeededRandom): Promise<void> {
    const index = this.#index!;
    const choice = random.below(12);
    if (choice < 5) {
      const add = Array.from({ length: 1 + random.below(6) }, () => `d${this.#nextId++}`);
      const ids = [...this.model.visibleOrPending];
      // Some take the place of others, with their keys, which may have gone since.
      const replaced =
        random.below(2) === 0 || ids.length === 0 ? [] : [...new Set(add.map(() => random.pick(ids)))];
      const documents = add.map((id, i) => ({
        id,
        body: `${id} word${random.below(9)} word${random.below(9)}`,
        n: random.below(50),
        key: this.#keys.get(replaced[i] ?? "") ?? id,
        path: [`/a/${random.below(3)}`],
        note: "n".repeat(random.below(200)),
      }));
      for (const { id, key } of documents) this.#keys.set(id, key);
      const isBulk = random.below(2) === 0;
      await this.#write({ add, remove: replaced }, () =>
        isBulk ? index.addInBulk(reading(documents), 100, "key") : index.replace("key", documents),
      );
    } else if (choice < 8) {
      const ids = [...this.model.visibleOrPending];
      const remove = ids.length === 0 ? ["none"] : [random.pick(ids), random.pick(ids)];
      const query: Query = { kind: "value_set", field: "id", values: remove };
      await this.#write({ add: [], remove: ids.length === 0 ? [] : remove }, () =>
        index.deleteByQuery(query),
      );
    } else if (choice < 11) {
      await this.#end("commit", () => index.commit());
      // The merges that the commit began, so that their operations are counted in order; often with a commit
      // point behind them, else with the next ones.
      if (!this.directory.isDead) await quietly(random.below(3) === 0 ? index.idle() : index.merge());
    } else {
      await this.#end("rollback", () => index.rollback());
    }
  }

  async #write(write: PendingWrite, run: () => Promise<unknown>): Promise<void> {
    try {
      await run();
      this.model.acknowledge(write);
    } catch (error) {
      expectRefusal(error);
      if (this.directory.isDead || this.#index!.failure !== null) this.model.unanswered(write);
    }
  }

  async #end(kind: "commit" | "rollback", run: () => Promise<void>): Promise<void> {
    try {
      await run();
      if (kind === "commit") this.model.acknowledgeCommit();
      else this.model.acknowledgeRollback();
    } catch (error) {
      expectRefusal(error);
      if (this.directory.isDead || this.#index!.failure !== null) this.model.unansweredEnd(kind);
      // A commit point may be half written beside it, unless none is made by itself.
      else if (this.#options.checkpointAfterMs === null) expect(this.directory.unfinished()).toEqual([]);
    }
  }
}

function* reading<T>(documents: readonly T[]): Generator<readonly T[], void, undefined> {
  for (const document of documents) yield [document];
}

const OPTIONS: IndexOptions = {
  lock: false,
  memoryBudgetBytes: 3000,
  mergePolicy: new TieredMergePolicy({ segmentsPerTier: 2, floorBytes: 1 << 20 }),
};
const STEPS = 14;

describe("an index on a failing disk", () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    test(`loses nothing when any one operation fails (seed ${seed})`, async () => {
      const total = await countOperations(seed);
      for (let operation = 1; operation <= total; operation++) {
        const life = new Life(new FaultyDirectory(seed));
        life.directory.failAt(operation);
        await life.run(new SeededRandom(seed), STEPS);
        await life.judge();
        await life.run(new SeededRandom(seed + 1), 3);
        await life.judge();
      }
    });

    for (const end of ["kill", "crash"] as const) {
      test(`loses nothing to a ${end} at any operation (seed ${seed})`, async () => {
        const total = await countOperations(seed);
        for (let operation = 1; operation <= total; operation++) {
          const life = new Life(new FaultyDirectory(seed));
          life.directory.dieAt(operation);
          await life.run(new SeededRandom(seed), STEPS);
          life.directory = end === "kill" ? life.directory.kill() : life.directory.crash(operation);
          await life.judge();
        }
      });
    }
  }

  // Which operations come between which isn't the same each time; the properties are.
  for (const end of ["failure", "kill", "crash"] as const) {
    test(`loses nothing to a ${end} while commit points are made beside all else`, async () => {
      const total = await countOperations(1);
      for (let operation = 1; operation <= total; operation += 5) {
        const life = new Life(new FaultyDirectory(operation), 1);
        if (end === "failure") life.directory.failAt(operation);
        else life.directory.dieAt(operation);
        await life.run(new SeededRandom(1), STEPS);
        if (end === "kill") life.directory = life.directory.kill();
        else if (end === "crash") life.directory = life.directory.crash(operation);
        await life.judge();
      }
    });
  }

  test("refuses writes while the disk is full, and goes on when there is room", async () => {
    for (let pages = 17; pages < 120; pages += 3) {
      const life = new Life(new FaultyDirectory(pages));
      await life.run(new SeededRandom(3), 4);
      life.directory.capacity = pages * 4096;
      await life.run(new SeededRandom(4), 12);
      life.directory.capacity = null;
      await life.run(new SeededRandom(5), 4);
      await life.judge();
    }
  });

  test("checkIndex finds every flipped byte", async () => {
    const directory = new FaultyDirectory();
    const index = await Index.create(directory, SCHEMA, {
      lock: false,
      mergePolicy: { nextMerge: () => null },
    });
    await index.add([
      { id: "a", body: "one two", n: 1, path: ["/x"] },
      { id: "b", body: "two three", n: 2, path: ["/x/y"], note: "kept apart" },
    ]);
    await index.commit();
    await index.deleteByQuery({ kind: "value_set", field: "id", values: ["a"] });
    await index.commit();
    // More writes than came before each commit: else there are files for the next one.
    const pending = ["c", "d"].map((id) => index.add([{ id, body: "pending" }]));
    await Promise.all(pending);
    await index.close();
    const names = await directory.list();
    expect(names.map((name) => name.replace(/^.*[.-](?=[a-z])|-\d.*$/g, "")).sort()).toEqual(
      ["commit", "doc", "idx", "journal", "live"].sort(),
    );
    for (const name of names) {
      const { size } = await directory.open(name);
      // The journal's empty rest is long: every byte of its start, then a sample.
      for (let offset = 0; offset < size; offset += offset < 8192 ? 1 : 509) {
        directory.flip(name, offset);
        const report = await checkIndex(directory);
        const told = [...report.problems.map(({ file }) => file), ...report.leftovers];
        expect(
          told.some((file) => file.includes(name)),
          `${name}, byte ${offset} of ${size}: ${JSON.stringify(report)}`,
        ).toBe(true);
        directory.flip(name, offset);
      }
    }
    expect((await checkIndex(directory)).problems).toEqual([]);
  });

  test("a damaged index is reported by file when it is opened, and nothing is written over it", async () => {
    const directory = new FaultyDirectory();
    const index = await Index.create(directory, SCHEMA, OPTIONS);
    await index.add([{ id: "a", body: "one" }]);
    await index.commit();
    await index.close();
    for (const name of await directory.list()) {
      if (name.endsWith(".doc")) continue;
      directory.flip(name, 20);
      const before = await directory.list();
      await expect(Index.open(directory, OPTIONS), name).rejects.toMatchObject({
        code: "storage_corrupt",
        message: expect.stringContaining(name),
      });
      expect(await directory.list()).toEqual(before);
      directory.flip(name, 20);
    }
    expect(idsOf(await Index.open(directory, OPTIONS))).toEqual(new Set(["a"]));
  });
});

async function countOperations(seed: number): Promise<number> {
  const life = new Life(new FaultyDirectory(seed));
  await life.run(new SeededRandom(seed), STEPS);
  return life.directory.operations;
}

function idsOf(index: Index): Set<string> {
  const { hits } = index.search({ query: { kind: "match_all" }, limit: 10_000 });
  const ids = hits.map(({ json }) => (JSON.parse(json) as { id: string }).id);
  expect(new Set(ids).size, "documents that are there twice").toBe(ids.length);
  return new Set(ids);
}

function expectRefusal(error: unknown): void {
  if (!(error instanceof FindlingError) || error.code !== "storage_unavailable") throw error;
}

async function quietly(work: Promise<unknown>): Promise<void> {
  await work.catch(expectRefusal);
}
