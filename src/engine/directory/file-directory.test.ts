// What only the file system does: folders made durably, left-over files, reasons in words, and
// nothing half written.
import { chmod, mkdir, mkdtemp, open, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CorruptionError } from "../../errors/index.js";
import { writeFully } from "./file-append.js";
import { FileDirectory } from "./file-directory.js";
import { storageError } from "./storage-error.js";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "findling-files-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

test("makes a folder with its parents, if told to", async () => {
  const path = join(folder, "a", "b", "c");
  await expect(FileDirectory.open(path, { create: false })).rejects.toThrow(CorruptionError);
  const directory = await FileDirectory.open(path, { create: true });
  expect(directory.description).toBe(path);
  expect((await stat(path)).isDirectory()).toBe(true);
  await FileDirectory.open(path, { create: true });
  await writeFile(join(folder, "file"), "");
  await expect(FileDirectory.open(join(folder, "file"), { create: true })).rejects.toMatchObject({
    code: "storage_unavailable",
  });
});

test("leaves nothing behind when a write fails", async () => {
  const directory = await FileDirectory.open(folder, { create: false });
  await mkdir(join(folder, ".a.tmp"));
  await expect(directory.write("a", [new Uint8Array(10)])).rejects.toThrow(
    /cannot write '.*a': it is a folder/,
  );
  await rm(join(folder, ".a.tmp"), { recursive: true });
  // A rename onto a folder fails after the temporary file is whole.
  await mkdir(join(folder, "b"));
  await expect(directory.publish("b", new Uint8Array(10))).rejects.toMatchObject({
    code: "storage_unavailable",
  });
  expect(await readdir(folder)).toEqual(["b"]);
  expect(await directory.list()).toEqual([]);
});

test("deletes unfinished files when it is locked, and only then", async () => {
  const directory = await FileDirectory.open(folder, { create: false });
  await writeFile(join(folder, ".old.tmp"), "half");
  await writeFile(join(folder, "kept"), "whole");
  expect(await directory.list()).toEqual(["kept"]);
  const lock = await directory.lock();
  expect((await readdir(folder)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  await lock.release();
  expect(await readdir(folder)).toEqual(["kept"]);
});

test("says that permission is denied", async () => {
  const directory = await FileDirectory.open(folder, { create: false });
  await chmod(folder, 0o555);
  // To root nothing is denied, so for a moment this is somebody else.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.("nobody");
  try {
    await expect(directory.write("a", [])).rejects.toThrow(/permission is denied/);
  } finally {
    if (isRoot) process.seteuid?.(0);
    await chmod(folder, 0o700);
  }
});

test("says why, and which file", () => {
  const failure = (code: string): Error => Object.assign(new Error(`${code}: jargon`), { code });
  expect(storageError("write", "/data/x", failure("ENOSPC"))).toMatchObject({
    code: "storage_unavailable",
    message: "cannot write '/data/x': the disk is full",
  });
  expect(storageError("open", "/data/x", failure("EMFILE")).message).toMatch(
    /this process has too many files open/,
  );
  expect(storageError("open", "/data/x", failure("ENOENT"))).toBeInstanceOf(CorruptionError);
  expect(storageError("open", "/data/x", failure("EWHATEVER")).message).toBe(
    "cannot open '/data/x': EWHATEVER: jargon",
  );
  const known = new CorruptionError("y", "it is cut");
  expect(storageError("open", "/data/x", known)).toBe(known);
});

test("reports a full disk", async () => {
  const handle = await open("/dev/full", "r+").catch(() => null);
  if (handle === null) return;
  try {
    await expect(writeFully(handle.fd, new Uint8Array(10), 0)).rejects.toMatchObject({ code: "ENOSPC" });
  } finally {
    await handle.close();
  }
});

test("a file that is cut while it is open is corruption", async () => {
  const directory = await FileDirectory.open(folder, { create: false });
  await directory.write("a", [new Uint8Array(100)]);
  const file = await directory.open("a");
  const append = await directory.openAppend("a", { create: false });
  await append.truncate(50);
  await append.close();
  expect(() => file.read(0, 100)).toThrow(CorruptionError);
  expect(file.read(0, 50)).toHaveLength(50);
  file.close();
  expect(() => file.read(0, 50)).toThrow(/closed/);
});

test("writes many small chunks together and large ones as they are", async () => {
  const directory = await FileDirectory.open(folder, { create: false });
  const chunks = Array.from({ length: 3000 }, (_, index) => new Uint8Array(index % 1500).fill(index));
  chunks.splice(1000, 0, new Uint8Array(3_000_000).fill(9));
  await directory.write("a", chunks);
  expect(Buffer.compare(await directory.read("a"), Buffer.concat(chunks))).toBe(0);
});

test("gives back the buffers that chunks are gathered in", async () => {
  const directory = await FileDirectory.open(folder, { create: false });
  const chunks = Array.from({ length: 16 }, () => new Uint8Array(60_000).fill(7));
  const before = process.memoryUsage().arrayBuffers;
  for (let i = 0; i < 4; i++) {
    await directory.write(`durable-${i}`, chunks);
    await directory.writeUnsynced([{ name: `unsynced-${i}`, chunks }]);
  }
  // A buffer of nearly 1 MiB for each file, and those that it outgrew, else.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 << 20);
});

test("syncs all files it is told to, and tells of one that it can't", async () => {
  const directory = await FileDirectory.open(folder, { create: false });
  const names = ["a", "b", "c", "d", "e"];
  await directory.writeUnsynced(names.map((name) => ({ name, chunks: [new Uint8Array(10)] })));
  await directory.syncFiles(names);
  for (const missing of names) {
    await rm(join(folder, missing));
    await expect(directory.syncFiles(names)).rejects.toThrow(join(folder, missing));
    await writeFile(join(folder, missing), "there again");
  }
});
