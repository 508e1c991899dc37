// One suite for every directory, FaultyDirectory without faults included: files come back whole, names
// are free or taken, what is missing is corruption, one lock at a time.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FaultyDirectory } from "../../../tests/simulation/faulty-directory.js";
import { CorruptionError } from "../../errors/index.js";
import type { Directory } from "./directory.js";
import { FileBatch } from "./file-batch.js";
import { FileDirectory } from "./file-directory.js";
import { MemoryDirectory } from "./memory-directory.js";

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

async function contents(directory: Directory, name: string): Promise<string> {
  return new TextDecoder().decode((await directory.read(name)).slice());
}

describe.each(["FileDirectory", "MemoryDirectory", "FaultyDirectory"])("%s", (kind) => {
  let folder: string;
  let directory: Directory;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "findling-directory-"));
    if (kind === "FileDirectory") directory = await FileDirectory.open(folder, { create: false });
    else directory = kind === "MemoryDirectory" ? new MemoryDirectory() : new FaultyDirectory();
  });

  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  test("writes chunks and reads them back into memory to share", async () => {
    for (const length of [0, 1, 63, 64, 65, 70_000]) {
      const bytes = crypto.getRandomValues(new Uint8Array(Math.min(length, 65_536)));
      const chunks = [bytes, new Uint8Array(length - bytes.length), new Uint8Array(0)];
      await directory.write(`f${length}`, chunks);
      const read = await directory.read(`f${length}`);
      expect(read.length).toBe(length);
      expect(read.byteOffset).toBe(0);
      expect(read.buffer).toBeInstanceOf(SharedArrayBuffer);
      expect(read.buffer.byteLength % 64).toBe(0);
      expect(new Float64Array(read.buffer).byteLength).toBeGreaterThanOrEqual(length);
      expect(Buffer.compare(read.subarray(0, bytes.length), bytes)).toBe(0);
    }
  });

  test("writes chunks as they are made; if making them fails, nothing is left", async () => {
    async function* made(count: number, fails: boolean): AsyncGenerator<Uint8Array> {
      for (let i = 0; i < count; i++) {
        await new Promise((resume) => setImmediate(resume));
        yield new Uint8Array(700_000).fill(i + 1);
      }
      if (fails) throw new Error("out of chunks");
    }
    await directory.write("whole", made(5, false));
    const whole = await directory.read("whole");
    expect(whole.length).toBe(3_500_000);
    for (let i = 0; i < 5; i++) expect(whole[i * 700_000 + 699_999]).toBe(i + 1);
    await expect(directory.write("broken", made(5, true))).rejects.toThrow();
    await expect(directory.write("broken", made(0, true))).rejects.toThrow();
    expect(await directory.list()).toEqual(["whole"]);
    await directory.write("empty", made(0, false));
    expect((await directory.read("empty")).length).toBe(0);
  });

  test("lists names ascending and its own not at all", async () => {
    const lock = await directory.lock();
    for (const name of ["b", "a", "c"]) await directory.publish(name, text(name));
    await directory.delete("b");
    await directory.delete("b");
    await directory.sync();
    expect(await directory.list()).toEqual(["a", "c"]);
    await lock.release();
  });

  test("write needs a free name, publish replaces, and neither takes a reserved one", async () => {
    await directory.write("a", [text("1")]);
    await expect(directory.write("a", [text("2")])).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(await contents(directory, "a")).toBe("1");
    await directory.publish("a", text("3"));
    expect(await contents(directory, "a")).toBe("3");
    for (const name of ["", ".a", "a.tmp", "../a", "a/b", "a\\b", "a\0"]) {
      await expect(directory.write(name, [text("x")])).rejects.toMatchObject({ code: "internal" });
      await expect(directory.publish(name, text("x"))).rejects.toMatchObject({ code: "internal" });
      await expect(directory.openAppend(name, { create: true })).rejects.toMatchObject({ code: "internal" });
    }
    expect(await directory.list()).toEqual(["a"]);
  });

  test("a staged file has its name once it is published, or never", async () => {
    await directory.publish("a", text("old"));
    const given = await directory.stage("a", text("new"));
    const dropped = await directory.stage("b", text("b"));
    expect(await contents(directory, "a")).toBe("old");
    expect(await directory.list()).toEqual(["a"]);
    await given.publish();
    await dropped.discard();
    await given.discard();
    expect(await contents(directory, "a")).toBe("new");
    expect(await directory.list()).toEqual(["a"]);
    await expect(directory.stage("../a", text("x"))).rejects.toMatchObject({ code: "internal" });
    if (kind === "FileDirectory") expect(await readdir(folder)).toEqual(["a"]);
  });

  test("the files of a batch can be read while they are being written, and opened once they are", async () => {
    await directory.write("there", [text("there")]);
    const batch = new FileBatch(directory);
    await batch.write("a", [text("one "), text("two")]);
    expect(new TextDecoder().decode((await batch.read("a")).slice())).toBe("one two");
    expect(new TextDecoder().decode((await batch.read("there")).slice())).toBe("there");
    expect(await directory.list()).toEqual(["there"]);
    const finished = batch.finish();
    const file = await batch.open("a");
    expect(new TextDecoder().decode(file.read(4, 3))).toBe("two");
    file.close();
    await finished;
  });

  test("unsynced files can be read at once, need free names, and are all there or none", async () => {
    const files = ["a", "b"].map((name) => ({ name, chunks: [text(`${name} `), text("whole")] }));
    await directory.writeUnsynced(files);
    expect(await contents(directory, "a")).toBe("a whole");
    await directory.syncFiles(["a", "b"]);
    await directory.syncFiles([]);
    await expect(
      directory.writeUnsynced([{ name: "c", chunks: [text("c")] }, ...files]),
    ).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(await contents(directory, "b")).toBe("b whole");
    if (kind !== "MemoryDirectory") expect(await directory.list()).toEqual(["a", "b"]);
    await expect(directory.writeUnsynced([{ name: ".x", chunks: [] }])).rejects.toMatchObject({
      code: "internal",
    });
    if (kind === "MemoryDirectory") return;
    await expect(directory.syncFiles(["gone"])).rejects.toThrow();
  });

  test("a missing file is corruption that names it", async () => {
    for (const attempt of [
      () => directory.read("gone"),
      () => directory.open("gone"),
      () => directory.openAppend("gone", { create: false }),
    ]) {
      await expect(attempt()).rejects.toThrow(CorruptionError);
      await expect(attempt()).rejects.toThrow(/gone' is damaged: it is missing/);
    }
  });

  test("reads by position, also after the file is deleted, never past the end", async () => {
    await directory.write("a", [text("hello world")]);
    const file = await directory.open("a");
    expect(file.size).toBe(11);
    expect(file.name).toBe(`${directory.description}/a`);
    await directory.delete("a");
    expect(new TextDecoder().decode(file.read(6, 5))).toBe("world");
    expect(file.read(11, 0)).toHaveLength(0);
    expect(() => file.read(6, 6)).toThrow(CorruptionError);
    file.close();
    file.close();
  });

  test("appends, overwrites, truncates and grows with zeros", async () => {
    const file = await directory.openAppend("a", { create: true });
    await expect(directory.openAppend("a", { create: true })).rejects.toMatchObject({
      code: "storage_unavailable",
    });
    await file.append(text("hello"));
    await file.append(text(" world"));
    await file.writeAt(0, text("J"));
    await file.truncate(7);
    await file.truncate(9);
    expect(file.size).toBe(9);
    await file.append(text("!"));
    await file.sync();
    await file.close();
    expect(await contents(directory, "a")).toBe("Jello w\0\0!");
    const again = await directory.openAppend("a", { create: false });
    expect(again.size).toBe(10);
    await again.append(text("?"));
    await again.close();
    expect(await contents(directory, "a")).toBe("Jello w\0\0!?");
  });

  test("is locked once at a time, by this process too", async () => {
    const lock = await directory.lock();
    await expect(directory.lock()).rejects.toMatchObject({ code: "storage_locked" });
    await lock.release();
    await lock.release();
    const second = await directory.lock();
    await lock.release();
    await expect(directory.lock()).rejects.toThrow(directory.description);
    await second.release();
  });
});
