// Properties: entries come back in order, byte for byte; every flipped byte of what was synced and
// every cut is reported; an interrupted write is dropped and the file goes on; after a failed append
// the journal is as before, after a failed sync it takes nothing more. Crashes at every step are in
// tests/simulation.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { releaseShortBuffersToo } from "../../../tests/setup/release-short-buffers.js";
import { CorruptionError, FindlingError } from "../../errors/index.js";
import type { AppendFile, Directory } from "../directory/directory.js";
import { MemoryDirectory } from "../directory/memory-directory.js";
import { Journal, PAYLOAD_LENGTH_MAX } from "./journal.js";
import { readJournal } from "./read-journal.js";

releaseShortBuffersToo();

const NAME = "journal-1";

interface Seen {
  kind: number;
  payload: Uint8Array;
}

async function reopen(directory: Directory): Promise<{ journal: Journal; entries: Seen[] }> {
  const entries: Seen[] = [];
  const journal = await Journal.open(directory, NAME);
  await journal.replay(({ kind, payload }) => {
    entries.push({ kind, payload: payload.slice() });
  });
  expect(journal.entryCount).toBe(entries.length);
  return { journal, entries };
}

/** A directory whose journal file is these bytes. */
async function directoryWith(bytes: Uint8Array): Promise<MemoryDirectory> {
  const directory = new MemoryDirectory();
  await directory.write(NAME, [bytes]);
  return directory;
}

async function fileBytes(directory: Directory): Promise<Uint8Array> {
  return (await directory.read(NAME)).slice();
}

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const texts = (entries: readonly Seen[]): string[] =>
  entries.map(({ payload }) => new TextDecoder().decode(payload));

async function journalOf(...batches: readonly (readonly string[])[]): Promise<MemoryDirectory> {
  const directory = new MemoryDirectory();
  const journal = await Journal.create(directory, NAME, 7);
  for (const batch of batches) {
    for (const payload of batch) await journal.append(1, text(payload));
    await journal.sync();
  }
  await journal.close();
  return directory;
}

describe("journal", () => {
  const entry = fc.record({
    kind: fc.integer({ min: 1, max: 255 }),
    payload: fc.oneof(
      fc.uint8Array({ maxLength: 50 }),
      fc.nat({ max: 90_000 }).map((length) => new Uint8Array(length).fill(length)),
    ),
    sync: fc.boolean(),
    reopen: fc.boolean(),
  });

  test("round trip, with syncs and reopenings anywhere", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 25 }), async (input) => {
        const directory = new MemoryDirectory();
        let journal = await Journal.create(directory, NAME, 3);
        const expected: Seen[] = [];
        for (const { kind, payload, sync, reopen: again } of input) {
          await journal.append(kind, payload);
          expected.push({ kind, payload });
          if (sync) await journal.sync();
          if (again) {
            await journal.close();
            journal = (await reopen(directory)).journal;
          }
          expect((await directory.open(NAME)).size % 65_536).toBe(0);
          expect(journal.size % 8).toBe(0);
        }
        await journal.close();
        const { journal: last, entries } = await reopen(directory);
        expect(entries.map(({ kind, payload }) => [kind, Buffer.from(payload).toString("base64")])).toEqual(
          expected.map(({ kind, payload }) => [kind, Buffer.from(payload).toString("base64")]),
        );
        expect(last.generation).toBe(3);
      }),
      { numRuns: 40 },
    );
  });

  test("appends and syncs that don't wait for each other keep their order and share syncs", async () => {
    const directory = new CountingDirectory();
    const journal = await Journal.create(directory, NAME, 1);
    const names = Array.from({ length: 100 }, (_, index) => `entry ${index}`);
    await Promise.all(names.map(async (name) => journal.append(2, text(name)).then(() => journal.sync())));
    expect(directory.syncs).toBeLessThan(60);
    await journal.sync();
    const before = directory.syncs;
    await journal.sync();
    expect(directory.syncs).toBe(before);
    await journal.close();
    expect(texts((await reopen(directory)).entries)).toEqual(names);
  });

  test("a payload of several MiB", async () => {
    const directory = new MemoryDirectory();
    const journal = await Journal.create(directory, NAME, 1);
    const payload = crypto.getRandomValues(new Uint8Array(65_536)).toString().padEnd(5_000_000, "x");
    await journal.append(1, text(payload));
    await journal.append(1, text("after"));
    await journal.sync();
    expect(texts((await reopen(directory)).entries)).toEqual([payload, "after"]);
    await expect(journal.append(1, new Uint8Array(PAYLOAD_LENGTH_MAX + 1))).rejects.toThrow(
      /send it in parts/,
    );
    await expect(journal.append(0, text("x"))).rejects.toThrow(RangeError);
  });

  test("every flipped byte of what was synced is reported or harmless", async () => {
    const directory = await journalOf(["a", "bcdefghi"], ["second sync, one entry"], [""]);
    const bytes = await fileBytes(directory);
    const { end } = await readJournal(directory, NAME, () => {});
    const lastMark = end - 40;
    for (let place = 0; place < end; place++) {
      for (const flip of [0x01, 0x80, 0xff]) {
        const damaged = bytes.slice();
        damaged[place]! ^= flip;
        const open = reopen(await directoryWith(damaged));
        if (place < lastMark) {
          await expect(open).rejects.toThrow(CorruptionError);
          await expect(open).rejects.toThrow(NAME);
        } else {
          expect(texts((await open).entries)).toEqual(["a", "bcdefghi", "second sync, one entry", ""]);
        }
      }
    }
  });

  test("zeroed stretches of what was synced are reported", async () => {
    const bytes = await fileBytes(await journalOf(["one"], ["two"], ["three"]));
    for (let from = 64; from < 300; from += 8) {
      const damaged = bytes.slice().fill(0, from, from + 8);
      const open = reopen(await directoryWith(damaged));
      // From the last mark on nothing is lost.
      const entries = await open.then(
        ({ entries }) => texts(entries),
        (error: unknown) => error,
      );
      if (!Array.isArray(entries)) expect(entries).toBeInstanceOf(CorruptionError);
      else expect(entries).toEqual(["one", "two", "three"]);
    }
  });

  test("a cut file is reported: at any length, and at a multiple of 64 KiB that was durable", async () => {
    const long = "x".repeat(100_000);
    const bytes = await fileBytes(await journalOf(["a"], [long]));
    for (const length of [0, 1, 63, 64, 65_535, 65_537, 100_000, 131_071]) {
      await expect(reopen(await directoryWith(bytes.slice(0, length)))).rejects.toThrow(CorruptionError);
    }
    expect(bytes.length).toBeGreaterThan(131_072);
    await expect(reopen(await directoryWith(bytes.slice(0, 131_072)))).rejects.toThrow(/cut/);
  });

  test("a missing file is reported", async () => {
    await expect(reopen(new MemoryDirectory())).rejects.toThrow(/journal-1' is damaged: it is missing/);
  });

  test("an interrupted write is dropped wherever it stopped, and appending goes on", async () => {
    const directory = await journalOf(["a", "b"]);
    const before = await fileBytes(directory);
    const { end } = await readJournal(directory, NAME, () => {});
    const journal = (await reopen(directory)).journal;
    await journal.append(9, text("interrupted, ending in zeros\0\0\0\0\0\0\0\0"));
    const after = await fileBytes(directory);
    for (let stop = end; stop < journal.size; stop++) {
      const torn = before.slice();
      torn.set(after.subarray(end, stop), end);
      const again = await directoryWith(torn);
      const first = await reopen(again);
      expect(texts(first.entries)).toEqual(["a", "b"]);
      await first.journal.append(1, text("c"));
      await first.journal.sync();
      await first.journal.close();
      expect(texts((await reopen(again)).entries)).toEqual(["a", "b", "c"]);
    }
  });

  test.each([5, 200_000])(
    "of two unsynced records, the second without the first (%i bytes) drops both, for good",
    async (length) => {
      const directory = await journalOf(["a"]);
      const journal = (await reopen(directory)).journal;
      const start = journal.size;
      await journal.append(1, text("f".repeat(length)));
      const middle = journal.size;
      await journal.append(1, text("other"));
      const bytes = await fileBytes(directory);
      bytes.fill(0, start, middle);
      const again = await directoryWith(bytes);
      const first = await reopen(again);
      expect(texts(first.entries)).toEqual(["a"]);
      // As long as the lost one, so that the old second record would follow it without a gap.
      const gap = first.journal.size;
      expect(gap).toBeGreaterThanOrEqual(start);
      const third = "t".repeat(length);
      await first.journal.append(1, text(third));
      await first.journal.close();
      expect(texts((await reopen(again)).entries)).toEqual(["a", third]);
    },
  );

  test("a journal inside a journal's payload is no record of it", async () => {
    const inner = await fileBytes(await journalOf(["inner 1", "inner 2"], ["inner 3"]));
    const directory = await journalOf(["a"]);
    const journal = (await reopen(directory)).journal;
    const start = journal.size;
    await journal.append(1, inner);
    const torn = await fileBytes(directory);
    torn[start + 40]! ^= 1;
    expect(texts((await reopen(await directoryWith(torn))).entries)).toEqual(["a"]);
  });

  test("swapped records of equal length are reported", async () => {
    const directory = await journalOf(["11111111", "22222222"]);
    const bytes = await fileBytes(directory);
    const first = bytes.slice(64, 112);
    bytes.copyWithin(64, 112, 160);
    bytes.set(first, 112);
    await expect(reopen(await directoryWith(bytes))).rejects.toThrow(CorruptionError);
  });

  test("another journal's records at the very same offsets are no records of this one", async () => {
    const other = await fileBytes(await journalOf(["x".repeat(200)], ["y"], ["z"]));
    const torn = await fileBytes(await journalOf());
    torn.set(other.subarray(320, 1000), 320);
    expect(texts((await reopen(await directoryWith(torn))).entries)).toEqual([]);
  });

  test("a failed append leaves nothing behind, and the next one works", async () => {
    const directory = new FailingDirectory();
    const journal = await Journal.create(directory, NAME, 1);
    await journal.append(1, text("a"));
    await journal.sync();
    const size = journal.size;
    for (const written of [0, 1, 31, 32, 40, 70_000]) {
      directory.failWriteAfter = written;
      await expect(journal.append(1, new Uint8Array(80_000).fill(7))).rejects.toThrow(/disk is full/);
      expect(journal.size).toBe(size);
      expect(texts((await reopen(await directoryWith(await fileBytes(directory)))).entries)).toEqual(["a"]);
    }
    await journal.append(1, text("b"));
    await journal.sync();
    await journal.close();
    expect(texts((await reopen(directory)).entries)).toEqual(["a", "b"]);
  });

  test("after a failed sync it takes nothing more", async () => {
    const directory = new FailingDirectory();
    const journal = await Journal.create(directory, NAME, 1);
    await journal.append(1, text("a"));
    directory.failSync = true;
    await expect(journal.sync()).rejects.toThrow(FindlingError);
    directory.failSync = false;
    await expect(journal.append(1, text("b"))).rejects.toMatchObject({ code: "storage_unavailable" });
    await expect(journal.sync()).rejects.toMatchObject({ code: "storage_unavailable" });
    await journal.close();
    await expect(journal.append(1, text("c"))).rejects.toThrow(/closed/);
  });

  test("a mark that can't be written fails no sync", async () => {
    const directory = new FailingDirectory();
    const journal = await Journal.create(directory, NAME, 1);
    await journal.append(1, text("a"));
    directory.failWriteAfter = 5;
    await journal.sync();
    await journal.append(1, text("b"));
    await journal.sync();
    expect(texts((await reopen(await directoryWith(await fileBytes(directory)))).entries)).toEqual([
      "a",
      "b",
    ]);
  });
});

/** Counts syncs and lets other work run meanwhile. */
class CountingDirectory extends MemoryDirectory {
  syncs = 0;

  override async openAppend(name: string, options: { readonly create: boolean }): Promise<AppendFile> {
    const file = await super.openAppend(name, options);
    const sync = file.sync.bind(file);
    file.sync = async () => {
      this.syncs++;
      await new Promise((resolve) => setImmediate(resolve));
      await sync();
    };
    return file;
  }
}

/** Fails a write after some of its bytes, or syncs, when told to. */
class FailingDirectory extends MemoryDirectory {
  failWriteAfter: number | null = null;
  failSync = false;

  override async openAppend(name: string, options: { readonly create: boolean }): Promise<AppendFile> {
    const file = await super.openAppend(name, options);
    const { writeAt, sync } = file;
    file.writeAt = async (offset, bytes) => {
      const written = this.failWriteAfter;
      if (written === null) return writeAt.call(file, offset, bytes);
      await writeAt.call(file, offset, bytes.subarray(0, written));
      this.failWriteAfter = null;
      throw new FindlingError("storage_unavailable", `cannot write '${name}': the disk is full`);
    };
    file.sync = async () => {
      if (this.failSync)
        throw new FindlingError("storage_unavailable", `cannot sync '${name}': the device failed`);
      await sync.call(file);
    };
    return file;
  }
}
