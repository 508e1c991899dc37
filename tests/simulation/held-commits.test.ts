/**
 * Properties: whatever is written, merged, rolled back, killed or crashed between and while a commit's files are copied,
 * what is installed from the copy is that commit: document for document, query for query, sound, and an index that takes
 * writes; and once it is let go of, no file stays that nobody needs.
 *
 * `FINDLING_TEST_SIMULATION_RUNS` sets the number of runs; a failure names the seed.
 */
import { afterAll, expect, test } from "vitest";
import { newOwner } from "../../src/engine/bytes/file-owner.js";
import {
  type CanonicalDocument,
  checkIndex,
  defineSchema,
  type HeldCommit,
  Index,
  installCommit,
  MemoryDirectory,
  type Query,
  readDetachedCommit,
  TieredMergePolicy,
} from "../../src/engine/server-door.js";
import { Sometimes } from "../kit/sometimes.js";
import { SeededRandom } from "../setup/seeded-random.js";
import { FaultyDirectory } from "./faulty-directory.js";

const RUNS = Number(
  process.env["FINDLING_TEST_SIMULATION_RUNS"] ?? (process.env["FINDLING_TEST_ALL"] === "1" ? 1_000 : 200),
);
const STEPS = 60;
const SCHEMA = defineSchema({ title: "text", year: "u64", kind: "facet" });
const WORDS = ["winter", "tale", "tempest", "much", "ado", "nothing", "king", "lear"];
const QUERIES: readonly Query[] = [
  { kind: "match_all" },
  ...WORDS.map((term) => ({ kind: "term", field: "title", term }) as const),
  { kind: "prefix", field: "title", prefix: "t" },
  { kind: "value_set", field: "year", values: [1601, 1603] },
];

const sometimes = new Sometimes([
  "the commit was in the journal only",
  "a merge took held files away",
  "a delete was committed while files were copied",
  "writes were pending when it was held",
  "two commits were held at once",
  "the process was killed while files were copied",
  "the power failed while files were copied",
  "the commit had deleted documents",
  "an empty index was copied",
]);
afterAll(() => sometimes.expectAll());

interface Copying {
  readonly held: HeldCommit;
  readonly expected: unknown;
  readonly files: Map<string, Uint8Array>;
  readonly names: string[];
}

test(`what is installed from a held commit is that commit (${RUNS} runs)`, async () => {
  const only = process.env["FINDLING_TEST_SEED"];
  for (let seed = 1; seed <= RUNS; seed++) {
    if (only !== undefined && seed !== Number(only)) continue;
    try {
      await runHistory(seed);
    } catch (error) {
      throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
    }
  }
}, 600_000);

async function runHistory(seed: number): Promise<void> {
  const random = new SeededRandom(seed);
  const options = {
    lock: false,
    memoryBudgetBytes: random.pick([1, 4000, 1 << 20]),
    mergePolicy: new TieredMergePolicy({ segmentsPerTier: 2 + random.below(3), floorBytes: 1 << 16 }),
    // Commit points come when they are asked for, and by holding.
    checkpointAfterMs: random.pick([null, 0]),
    onMergeError: () => undefined,
    onCommitPointError: () => undefined,
  };
  let directory = new FaultyDirectory(seed);
  let index = await Index.create(directory, SCHEMA, options);
  let copying: Copying[] = [];
  let isCommitted = true;
  let isInJournalOnly = false;

  const letGo = (): void => {
    for (const { held } of copying.splice(0)) held.release();
  };
  const again = async (next: FaultyDirectory): Promise<void> => {
    // Nobody hears of what the dead one still does.
    const dead = index;
    directory = next;
    copying = [];
    index = await Index.open(directory, options);
    void dead.close().catch(() => undefined);
    isInJournalOnly = false;
  };

  for (let step = 0; step < STEPS; step++) {
    switch (random.below(14)) {
      case 0:
      case 1:
      case 2: {
        const count = 1 + random.below(8);
        await index.add(Array.from({ length: count }, () => documentOf(random)));
        isCommitted = false;
        break;
      }
      case 3: {
        const query: Query = { kind: "term", field: "title", term: random.pick(WORDS) };
        const deleted = await index.deleteByQuery(query);
        if (deleted > 0) isCommitted = false;
        break;
      }
      case 4:
      case 5:
      case 6: {
        const before = index.documentCount;
        await index.commit();
        isInJournalOnly ||= !isCommitted;
        isCommitted = true;
        sometimes.reached(
          "a delete was committed while files were copied",
          copying.length > 0 && index.documentCount < before,
        );
        break;
      }
      case 7:
        await index.rollback();
        isCommitted = true;
        break;
      case 8:
        await index.merge();
        isInJournalOnly = false;
        break;
      case 9: {
        if (random.below(3) > 0) break;
        const isKill = random.below(2) === 0;
        const path = isKill ? "the process was killed" : "the power failed";
        sometimes.reached(`${path} while files were copied`, copying.length > 0);
        await again(isKill ? directory.kill() : directory.crash(random.below(2 ** 31)));
        isCommitted = !index.hasPendingWrites;
        break;
      }
      default: {
        if (copying.length === 0 || random.below(6) === 0) {
          sometimes.reached("the commit was in the journal only", isInJournalOnly);
          sometimes.reached("writes were pending when it was held", !isCommitted);
          sometimes.reached("two commits were held at once", copying.length > 0);
          const expected = answersOf(index);
          const held = await index.holdCommit();
          isInJournalOnly = false;
          copying.push({
            held,
            expected,
            files: new Map(),
            names: random.shuffled(held.files.map(({ name }) => name)),
          });
          break;
        }
        const copy = random.pick(copying);
        const name = copy.names.pop();
        if (name !== undefined) {
          copy.files.set(name, Uint8Array.from(await directory.read(name)));
          break;
        }
        copying = copying.filter((each) => each !== copy);
        await expectSame(copy);
        await index.merge();
        await index.settled();
        const whileHeld = await directory.list();
        expect(whileHeld).toEqual(expect.arrayContaining(copy.held.files.map(({ name: file }) => file)));
        copy.held.release();
        await index.settled();
        const after = await directory.list();
        sometimes.reached("a merge took held files away", after.length < whileHeld.length);
      }
    }
  }
  letGo();
  // Pending documents may be in segments that no commit point names.
  await index.commit();
  await index.merge();
  await index.settled();
  // Whatever was held: what is left is what one commit point names.
  const { problems, leftovers } = await checkIndex(directory);
  expect({ problems, leftovers }).toEqual({ problems: [], leftovers: [] });
  await index.close();
}

async function expectSame({ held, expected, files }: Copying): Promise<void> {
  const directory = new MemoryDirectory();
  const owner = newOwner();
  const open = (name: string): readonly Uint8Array[] => [files.get(name)!];
  await installCommit(directory, owner, { source: "the copy", commit: held.commit, open });
  const report = await checkIndex(directory, owner);
  expect(report).toMatchObject({ problems: [], leftovers: [], pendingWrites: 0, commitsInJournal: 0 });
  expect(report.documents).toBe(readDetachedCommit("the copy", held.commit).documentCount);
  sometimes.reached(
    "the commit had deleted documents",
    held.files.some(({ name }) => name.includes(".live-")),
  );
  sometimes.reached("an empty index was copied", report.documents === 0);
  const copy = await Index.open(directory, { lock: false, owner });
  expect(answersOf(copy)).toEqual(expected);
  // It is an index like any other, and none of its names meets another.
  const before = copy.documentCount;
  await copy.add([{ title: "winter again", year: 1, kind: "/x" }]);
  const deleted = await copy.deleteByQuery({ kind: "term", field: "title", term: "tale" });
  await copy.commit();
  await copy.settled();
  expect(copy.documentCount).toBe(before + 1 - deleted);
  await copy.close();
  expect((await checkIndex(directory, owner)).problems).toEqual([]);
}

function documentOf(random: SeededRandom): CanonicalDocument {
  const title = Array.from({ length: 1 + random.below(4) }, () => random.pick(WORDS)).join(" ");
  return { title, year: 1600 + random.below(6), kind: `/play/${random.pick(WORDS)}` };
}

function answersOf(index: Index): unknown {
  return QUERIES.map((query) => index.search({ query, limit: 1000, facets: ["kind"] }));
}
