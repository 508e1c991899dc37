// Properties: without faults it is a directory like any other; a power loss keeps what was synced and
// of the rest any mix of pages; whole-file writes are whole or absent; faults hit once, where told.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CorruptionError } from "../../src/errors/index.js";
import { FaultyDirectory } from "./faulty-directory.js";
import { PAGE_LENGTH } from "./simulated-file.js";

const seed = fc.nat();
const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const page = (value: number): Uint8Array => new Uint8Array(PAGE_LENGTH).fill(value);

/** The outcomes of a power loss over many seeds, as text. */
async function outcomes(run: () => Promise<FaultyDirectory>, name: string): Promise<Set<string>> {
  const seen = new Set<string>();
  for (let seed = 0; seed < 200; seed++) {
    const left = (await run()).crash(seed);
    const names = await left.list();
    if (!names.includes(name)) seen.add("absent");
    else seen.add([...(await left.read(name))].filter((_, index) => index % PAGE_LENGTH === 0).join(","));
  }
  return seen;
}

describe("FaultyDirectory", () => {
  test("synced bytes and names survive every power loss", async () => {
    await fc.assert(
      fc.asyncProperty(
        seed,
        fc.uint8Array({ minLength: 1, maxLength: 20_000 }),
        fc.nat(),
        async (seed, bytes, place) => {
          const directory = new FaultyDirectory();
          const file = await directory.openAppend("a", { create: true });
          await file.append(bytes);
          await file.sync();
          await directory.sync();
          await directory.publish("b", bytes);
          await file.writeAt(bytes.length + (place % 9000), bytes);
          const left = directory.crash(seed);
          expect(await left.list()).toEqual(["a", "b"]);
          // Later writes share the last synced page, but hold the same bytes there.
          expect(Buffer.compare((await left.read("a")).slice(0, bytes.length), bytes)).toBe(0);
          expect(Buffer.compare(await left.read("b"), bytes)).toBe(0);
          await expect(directory.list()).rejects.toThrow(/down/);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("unsynced pages reach the disk in any order, and a page may be any of its versions", async () => {
    const seen = await outcomes(async () => {
      const directory = new FaultyDirectory();
      const file = await directory.openAppend("a", { create: true });
      await directory.sync();
      await file.truncate(3 * PAGE_LENGTH);
      await file.sync();
      await file.writeAt(0, page(1));
      await file.writeAt(PAGE_LENGTH, page(2));
      await file.writeAt(0, page(3));
      return directory;
    }, "a");
    expect([...seen].sort()).toEqual(["0,0,0", "0,2,0", "1,0,0", "1,2,0", "3,0,0", "3,2,0"]);
  });

  test("an unsynced length may be any since the last sync; an unsynced name may be missing or back", async () => {
    const lengths = await outcomes(async () => {
      const directory = new FaultyDirectory();
      const file = await directory.openAppend("a", { create: true });
      await file.truncate(PAGE_LENGTH);
      await file.sync();
      await file.truncate(2 * PAGE_LENGTH);
      await file.truncate(3 * PAGE_LENGTH);
      return directory;
    }, "a");
    expect([...lengths].sort()).toEqual(["0", "0,0", "0,0,0", "absent"]);
    const deleted = await outcomes(async () => {
      const directory = new FaultyDirectory();
      await directory.write("a", [page(5)]);
      await directory.delete("a");
      return directory;
    }, "a");
    expect([...deleted].sort()).toEqual(["5", "absent"]);
  });

  test("publish and write are whole or absent at every step, and durable once resolved", async () => {
    const states = new Set<string>();
    for (let step = 1; step <= 4; step++) {
      for (let seed = 0; seed < 40; seed++) {
        const directory = new FaultyDirectory(seed);
        await directory.publish("old", text("old"));
        directory.dieAt(directory.operations + step);
        await expect(directory.publish("old", text("new"))).rejects.toThrow(/down/);
        const left = directory.crash(seed);
        states.add(
          `${new TextDecoder().decode((await left.read("old")).slice())} ${left.unfinished().length}`,
        );
        await left.lock();
        expect(left.unfinished()).toEqual([]);
      }
    }
    expect([...states].sort()).toEqual(["new 0", "new 1", "old 0", "old 1"]);
  });

  test("killing the process keeps what it wrote; a power loss after that doesn't", async () => {
    const directory = new FaultyDirectory();
    await directory.write("a", [page(1)]);
    const file = await directory.openAppend("a", { create: false });
    await file.writeAt(0, page(2));
    const killed = directory.kill();
    expect((await killed.read("a"))[0]).toBe(2);
    const values = new Set<number>();
    for (let seed = 0; seed < 50; seed++) values.add((await killed.crash(seed).read("a"))[0]!);
    expect([...values].sort()).toEqual([1, 2]);
  });

  test("a sync covers what was written before it began", async () => {
    const seen = await outcomes(async () => {
      const directory = new FaultyDirectory();
      await directory.write("a", [page(0)]);
      const file = await directory.openAppend("a", { create: false });
      await file.writeAt(0, page(1));
      const sync = file.sync();
      await file.writeAt(0, page(2));
      await sync;
      return directory;
    }, "a");
    expect([...seen].sort()).toEqual(["1", "2"]);
  });

  test("after a failed sync the next one succeeds without carrying the pages to the disk", async () => {
    let seed = 0;
    const seen = await outcomes(async () => {
      const directory = new FaultyDirectory(seed++);
      await directory.write("a", [page(0)]);
      const file = await directory.openAppend("a", { create: false });
      await file.writeAt(0, page(1));
      directory.failAt(directory.operations + 1);
      await expect(file.sync()).rejects.toThrow(/read or write error/);
      await file.sync();
      expect((await directory.read("a"))[0]).toBe(1);
      return directory;
    }, "a");
    expect([...seen].sort()).toEqual(["0", "1"]);
  });

  test("a failing write stops short, once", async () => {
    const directory = new FaultyDirectory(4);
    const file = await directory.openAppend("a", { create: true });
    directory.failAt(directory.operations + 1);
    await expect(file.append(page(1))).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(file.size).toBeLessThan(PAGE_LENGTH);
    await file.truncate(0);
    await file.append(page(1));
    expect(Buffer.compare(await directory.read("a"), page(1))).toBe(0);
    directory.failAt(directory.operations + 1);
    await expect(directory.write("b", [page(1)])).rejects.toThrow(/read or write error/);
    expect([await directory.list(), directory.unfinished()]).toEqual([["a"], []]);
  });

  test("a full disk stays full until something is deleted", async () => {
    const directory = new FaultyDirectory();
    directory.capacity = 4 * PAGE_LENGTH;
    await directory.write("a", [page(1), page(2)]);
    await expect(directory.write("b", [page(1), page(2), page(3)])).rejects.toThrow(/the disk is full/);
    expect(await directory.list()).toEqual(["a"]);
    const file = await directory.openAppend("c", { create: true });
    await file.truncate(100 * PAGE_LENGTH);
    await expect(file.writeAt(0, new Uint8Array(3 * PAGE_LENGTH).fill(1))).rejects.toThrow(
      /the disk is full/,
    );
    await file.writeAt(0, page(2));
    await directory.delete("a");
    await file.writeAt(2 * PAGE_LENGTH, page(3));
  });

  test("zeros that are written take room until they are cut off, what was never written doesn't", async () => {
    const directory = new FaultyDirectory();
    directory.capacity = 2 * PAGE_LENGTH;
    const file = await directory.openAppend("a", { create: true });
    await file.truncate(9 * PAGE_LENGTH);
    await file.writeAt(3 * PAGE_LENGTH, page(0));
    await file.writeAt(0, page(0));
    await file.writeAt(0, page(1));
    await expect(file.writeAt(PAGE_LENGTH, page(0))).rejects.toThrow(/the disk is full/);
    await file.truncate(2 * PAGE_LENGTH);
    await file.writeAt(PAGE_LENGTH, page(0));
  });

  test("unreadable files and flipped bytes", async () => {
    const directory = new FaultyDirectory();
    await directory.write("a", [text("abc")]);
    directory.flip("a", 1, 3);
    const opened = await directory.open("a");
    expect([...opened.read(0, 3)]).toEqual([97, 97, 99]);
    expect(() => opened.read(0, 4)).toThrow(CorruptionError);
    directory.unreadable.add("a");
    expect(() => opened.read(0, 3)).toThrow(/read or write error/);
    await expect(directory.read("a")).rejects.toMatchObject({ code: "storage_unavailable" });
    await expect(directory.read("b")).rejects.toThrow(CorruptionError);
  });
});
