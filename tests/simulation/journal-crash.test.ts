// Properties, at every operation the journal makes: after a power loss or a killed process, entries
// whose sync resolved come back in order, those after them as a prefix or not at all, and the journal
// always opens; after one failing operation the same holds.
import { describe, expect, test, vi } from "vitest";
import { EMPTY_JOURNAL_LENGTH, Journal, zerosAhead } from "../../src/engine/journal/journal.js";
import { FindlingError } from "../../src/errors/index.js";
import { SeededRandom } from "../setup/seeded-random.js";
import { FaultyDirectory } from "./faulty-directory.js";

// Zeros are written ahead after each sync.
Object.assign(zerosAhead, { entriesMin: 1, bytesMin: 2 ** 20 });

const NAME = "journal";
const SEEDS = 8;
const EMPTY_JOURNAL_PAGES = EMPTY_JOURNAL_LENGTH / 4096;

/** What a caller knows of the journal: every entry it appended, and how many are safe. */
class Ledger {
  created = false;
  /** Entries by the order of their appends; null if the append failed. */
  entries: (string | null)[] = [];
  acknowledged = 0;

  /** The journal may hold `found` if that is a prefix of what was appended that covers all acknowledged. */
  check(found: readonly string[]): void {
    const appended = this.entries.filter((entry) => entry !== null);
    expect(found).toEqual(appended.slice(0, found.length));
    expect(found.length).toBeGreaterThanOrEqual(this.acknowledged);
  }

  /** Goes on from what a reopened journal holds: opening made it safe. */
  restart(found: readonly string[]): void {
    this.entries = [...found];
    this.acknowledged = found.length;
  }
}

/** A caller's life with a journal, up to its end or the first death of the directory. */
async function live(directory: FaultyDirectory, ledger: Ledger, random: SeededRandom): Promise<void> {
  let journal: Journal;
  if (ledger.created) {
    journal = await reopen(directory, ledger);
  } else {
    journal = await Journal.create(directory, NAME);
    ledger.created = true;
  }
  const waiting: Promise<unknown>[] = [];
  for (let step = 0; step < 14 && !directory.isDead; step++) {
    const choice = random.below(10);
    if (choice < 6) waiting.push(append(journal, ledger, random));
    else if (choice < 9) waiting.push(sync(journal, ledger));
    else await Promise.all(waiting.splice(0));
    if (random.below(2) === 0) await Promise.all(waiting.splice(0));
  }
  await Promise.all(waiting);
  await journal.close();
}

async function append(journal: Journal, ledger: Ledger, random: SeededRandom): Promise<void> {
  const length = random.pick([0, 1, 7, 30, 300, 5000, 9000, 70_000]);
  const entry = `${ledger.entries.length} `.padEnd(length, random.pick(["x", "\0"]));
  const index = ledger.entries.push(entry) - 1;
  try {
    await journal.append(1, new TextEncoder().encode(entry));
  } catch (error) {
    expect(error).toBeInstanceOf(FindlingError);
    ledger.entries[index] = null;
  }
}

async function sync(journal: Journal, ledger: Ledger): Promise<void> {
  // What was appended before the call and has resolved is covered: here, all whose turn came before.
  const entries = ledger.entries;
  const covered = journal.entryCount;
  try {
    await journal.sync();
    expect(ledger.entries).toBe(entries);
    ledger.acknowledged = Math.max(ledger.acknowledged, covered);
  } catch (error) {
    expect(error).toBeInstanceOf(FindlingError);
  }
}

async function reopen(directory: FaultyDirectory, ledger: Ledger): Promise<Journal> {
  const journal = await Journal.open(directory, NAME);
  const found: string[] = [];
  await journal.replay(({ payload }) => {
    found.push(new TextDecoder().decode(payload));
  });
  ledger.check(found);
  ledger.restart(found);
  return journal;
}

async function quietly(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => expect(error).toMatchObject({ code: "storage_unavailable" }));
}

/** The directory after a crash, if the journal was ever there. */
async function survivor(
  directory: FaultyDirectory,
  ledger: Ledger,
  random: SeededRandom,
): Promise<FaultyDirectory> {
  const left = random.below(3) === 0 ? directory.kill() : directory.crash(random.below(2 ** 31));
  if (ledger.created) return left;
  return new FaultyDirectory(random.below(2 ** 31));
}

async function operationsOf(seed: number): Promise<number> {
  const directory = new FaultyDirectory(seed);
  await live(directory, new Ledger(), new SeededRandom(seed));
  return directory.operations;
}

/** Tells of zeros ahead of a journal's end that there was no room for. */
function countRefusedZeros(directory: FaultyDirectory, onRefused: () => void): void {
  const openAppend = directory.openAppend.bind(directory);
  vi.spyOn(directory, "openAppend").mockImplementation(async (name, options) => {
    const file = await openAppend(name, options);
    const writeAt = file.writeAt.bind(file);
    return Object.assign(file, {
      writeAt: (offset: number, bytes: Uint8Array): Promise<void> =>
        writeAt(offset, bytes).catch((error: unknown) => {
          if (bytes.length >= 4096 && bytes.every((byte) => byte === 0)) onRefused();
          throw error;
        }),
    });
  });
}

describe("journal on a faulty disk", () => {
  test("a crash at every operation, and again while recovering", async () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const operations = await operationsOf(seed);
      for (let death = 1; death <= operations + 1; death++) {
        const random = new SeededRandom(seed);
        const ledger = new Ledger();
        let directory = new FaultyDirectory(seed * 1000 + death);
        directory.dieAt(death);
        await quietly(live(directory, ledger, random));
        for (let life = 0; life < 3; life++) {
          directory = await survivor(directory, ledger, random);
          // Reading is a few operations, repairing a few more, then the caller's.
          directory.dieAt(1 + random.below(24));
          await quietly(live(directory, ledger, random));
        }
        directory = await survivor(directory, ledger, random);
        if (ledger.created) await reopen(directory, ledger);
      }
    }
  });

  test("one failing operation, then a restart, then a power loss", async () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const operations = await operationsOf(seed);
      for (let failure = 1; failure <= operations; failure++) {
        const random = new SeededRandom(seed);
        const ledger = new Ledger();
        const directory = new FaultyDirectory(seed * 1000 + failure);
        directory.failAt(failure);
        await quietly(live(directory, ledger, random));
        if (!ledger.created) continue;
        // Also proves that entries found after a failed sync are written again: the system thinks them clean.
        await reopen(directory.kill(), ledger).then((journal) => journal.close());
        const restarted = directory.kill();
        await reopen(restarted, ledger);
        await reopen(restarted.crash(random.below(2 ** 31)), ledger);
      }
    }
  });

  test("a disk that fills up, then has room again", async () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const random = new SeededRandom(seed);
      const directory = new FaultyDirectory(seed);
      const journal = await Journal.create(directory, NAME);
      const ledger = new Ledger();
      ledger.created = true;
      directory.capacity = 4096 * random.below(30);
      for (let step = 0; step < 12; step++) await append(journal, ledger, random);
      await sync(journal, ledger);
      expect(ledger.acknowledged).toBe(ledger.entries.filter((entry) => entry !== null).length);
      directory.capacity = null;
      await append(journal, ledger, random);
      expect(ledger.entries.at(-1)).not.toBeNull();
      await sync(journal, ledger);
      await reopen(directory.crash(seed), ledger);
    }
  });

  test("a disk that fills up while zeros are written ahead, then has room again", async () => {
    let refused = 0;
    for (let pages = EMPTY_JOURNAL_PAGES; pages < 4 * EMPTY_JOURNAL_PAGES; pages++) {
      const directory = new FaultyDirectory(pages);
      const random = new SeededRandom(pages);
      countRefusedZeros(directory, () => refused++);
      const journal = await Journal.create(directory, NAME);
      const ledger = new Ledger();
      ledger.created = true;
      directory.capacity = 4096 * pages;
      for (let step = 0; step < 12; step++) {
        await append(journal, ledger, random);
        await sync(journal, ledger);
      }
      expect(ledger.acknowledged).toBe(ledger.entries.filter((entry) => entry !== null).length);
      directory.capacity = null;
      for (let step = 0; step < 3; step++) await append(journal, ledger, random);
      expect(ledger.entries.slice(-3)).not.toContain(null);
      if (pages % 2 === 0) await sync(journal, ledger);
      await reopen(directory.crash(pages), ledger);
    }
    expect(refused).toBeGreaterThan(EMPTY_JOURNAL_PAGES);
  });
});
