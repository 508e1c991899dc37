import type {
  AllocateBytes,
  AppendFile,
  Directory,
  FileChunks,
  NewFile,
  RandomAccessFile,
  StagedFile,
  WriteLock,
} from "../../src/engine/directory/directory.js";
import { checkFileName, isReservedName, temporaryName } from "../../src/engine/directory/file-names.js";
import { gatherChunks } from "../../src/engine/directory/gather-chunks.js";
import { sharedBytes } from "../../src/engine/directory/shared-bytes.js";
import { CorruptionError, FindlingError } from "../../src/errors/index.js";
import { SeededRandom } from "../setup/seeded-random.js";
import { SimulatedDisk } from "./simulated-disk.js";
import { PAGE_LENGTH, SimulatedFile } from "./simulated-file.js";

/** What an operation is told when it begins. */
type Fate = "run" | "fail" | "die";

/**
 * A `Directory` on a simulated disk that fails on command and loses what a real one may lose.
 *
 * **Operations.** Every call that a file system would get is one: list, read, open, a read inside an
 * open file, append, writeAt, truncate, sync of a file, delete, sync of the folder. `write` and
 * `publish` are four, as in `FileDirectory`: write the temporary file, sync it (these two are `stage`),
 * rename it, sync the folder; `writeTogether` is the first three for each file, one after the other, and one sync of the
 * folder; `writeUnsynced` is a write for each file, `syncFiles` a sync for each and one of the folder. `operations` counts them, so a test runs its scenario once to learn the number and then
 * once per operation with `failAt` or `dieAt`.
 *
 * **Faults.** `failAt(n)` fails operation n once: a write after a random part of its bytes, never all
 * of them; a sync after a random part of the dirty pages, all of which count as clean afterwards, as
 * on Linux. `capacity` makes the disk full for as long as it stays set: it counts 4 KiB pages that
 * were written, if only with zeros, and a write stops at the first page there is no room for. Files in `unreadable`
 * fail all reads. `flip` damages a byte.
 *
 * **Crashes.** `dieAt(n)` lets operation n happen in part or not at all and fails it and all later
 * ones. Then, or at any moment, `crash` and `kill` return the directory as the next process finds it;
 * this one is dead from then on.
 *
 * - `kill()`: the process ends. What it wrote is all there, in the page cache: synced or not.
 * - `crash(seed)`: the power fails. Of a file stays what was synced, and of each 4 KiB page and of the
 *   length any version written since the last sync, chosen independently (so pages reach the disk in
 *   any order). Of a name stays what was synced, or any later binding. Hence `write` and `publish`
 *   are durable once resolved, and whole or absent before, perhaps with an unfinished file left
 *   over; `openAppend` with `create` and `delete` are durable after `sync` only.
 *
 * Everything is decided by the seeds.
 */
export class FaultyDirectory implements Directory {
  readonly description = "faulty";
  /** Bytes the disk has room for; null for no end. */
  capacity: number | null = null;
  /** Names of files whose reads fail. */
  readonly unreadable: Set<string> = new Set();
  readonly #disk: SimulatedDisk;
  readonly #random: SeededRandom;
  #operations = 0;
  #failAt = 0;
  #dieAt = 0;
  #dead = false;
  #locked = false;

  /** The seed decides how far failing operations get. */
  constructor(seed = 1, disk: SimulatedDisk = new SimulatedDisk()) {
    this.#random = new SeededRandom(seed);
    this.#disk = disk;
  }

  /** Operations begun so far. */
  get operations(): number {
    return this.#operations;
  }

  /** Fails operation number `operation`, counted from 1 over the life of this object. */
  failAt(operation: number): void {
    this.#failAt = operation;
  }

  /** Crashes at operation number `operation`, counted from 1 over the life of this object. */
  dieAt(operation: number): void {
    this.#dieAt = operation;
  }

  /** Whether `dieAt` was reached, or a crash called for. */
  get isDead(): boolean {
    return this.#dead;
  }

  /** The directory after a power loss. */
  crash(seed: number): FaultyDirectory {
    this.#dead = true;
    return new FaultyDirectory(seed, this.#disk.afterPowerLoss(new SeededRandom(seed)));
  }

  /** The directory after the process was killed; a later `crash` still loses what isn't synced. */
  kill(): FaultyDirectory {
    this.#dead = true;
    return new FaultyDirectory(this.#random.below(2 ** 31), this.#disk);
  }

  /** Changes a byte on the disk. */
  flip(name: string, offset: number, mask = 0xff): void {
    const file = this.#existing(name);
    file.write(offset, Uint8Array.of(file.read(offset, offset + 1)[0]! ^ mask));
    file.beginSync()();
  }

  /** Names of unfinished files, which `list` leaves out. */
  unfinished(): string[] {
    return this.#disk.names().filter(isReservedName);
  }

  async list(): Promise<readonly string[]> {
    this.#orFail(this.#begin(), "list", "");
    return this.#disk.names().filter((name) => !isReservedName(name));
  }

  async read(name: string, allocate: AllocateBytes = sharedBytes): Promise<Uint8Array<SharedArrayBuffer>> {
    const content = this.#read(name, () => {
      const file = this.#existing(name);
      return file.read(0, file.size);
    });
    const bytes = allocate(content.length);
    bytes.set(content);
    return bytes;
  }

  async open(name: string): Promise<RandomAccessFile> {
    this.#orFail(this.#begin(), "open", name);
    const file = this.#existing(name);
    const path = `${this.description}/${name}`;
    const read = (offset: number, length: number): Uint8Array =>
      this.#read(name, () => {
        const end = offset + length;
        if (end > file.size)
          throw new CorruptionError(path, `it ends at byte ${file.size}, before byte ${end}`);
        return file.read(offset, end);
      });
    return {
      name: path,
      size: file.size,
      read,
      readInto: (offset, length, target, at) => target.set(read(offset, length), at),
      close: () => {},
    };
  }

  async write(name: string, chunks: FileChunks): Promise<void> {
    await this.writeTogether([{ name, chunks: await gatherChunks(chunks) }]);
  }

  async writeTogether(files: readonly NewFile[]): Promise<void> {
    for (const { name } of files) {
      checkFileName(name);
      if (this.#disk.file(name) !== undefined)
        throw this.#error("write", name, "a file of that name exists already");
    }
    try {
      for (const { name, chunks } of files) await this.#replace(name, chunks);
      await this.sync();
    } catch (error) {
      if (!this.#dead) for (const { name } of files) this.#disk.bind(name, null);
      throw error;
    }
  }

  async writeUnsynced(files: readonly NewFile[]): Promise<void> {
    for (const { name } of files) {
      checkFileName(name);
      if (this.#disk.file(name) !== undefined)
        throw this.#error("write", name, "a file of that name exists already");
    }
    try {
      for (const { name, chunks } of files) {
        this.#aliveOrFail("write", name);
        const file = new SimulatedFile();
        this.#disk.bind(name, file);
        this.#write(name, file, 0, joined(chunks));
      }
    } catch (error) {
      if (!this.#dead) for (const { name } of files) this.#disk.bind(name, null);
      throw error;
    }
  }

  async syncFiles(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    for (const name of names) await this.#syncFile(name, this.#existing(name));
    await this.sync();
  }

  async stage(name: string, bytes: Uint8Array): Promise<StagedFile> {
    checkFileName(name);
    const file = await this.#stage(name, [bytes]);
    return {
      publish: async () => {
        this.#rename(name, file);
        await this.sync();
      },
      discard: async () => this.#discard(name),
    };
  }

  async publish(name: string, bytes: Uint8Array): Promise<void> {
    const staged = await this.stage(name, bytes);
    try {
      await staged.publish();
    } catch (error) {
      await staged.discard();
      throw error;
    }
  }

  async openAppend(name: string, options: { readonly create: boolean }): Promise<AppendFile> {
    checkFileName(name);
    const fate = this.#begin();
    if (options.create) {
      if (this.#disk.file(name) !== undefined)
        throw this.#error("open", name, "a file of that name exists already");
      if (fate === "run" || (fate === "die" && this.#random.next() < 0.5))
        this.#disk.bind(name, new SimulatedFile());
    }
    this.#orFail(fate, "open", name);
    return this.#appendFile(name, this.#existing(name));
  }

  async delete(name: string): Promise<void> {
    checkFileName(name);
    this.#change(this.#begin(), "delete", name, () => {
      if (this.#disk.file(name) !== undefined) this.#disk.bind(name, null);
    });
  }

  async sync(): Promise<void> {
    this.#change(this.#begin(), "sync", "", () => this.#disk.syncNames());
  }

  /** Nothing is ever half written here: a file appears whole or not at all. */
  async deleteUnfinished(): Promise<void> {}

  async requireUnlocked(): Promise<void> {
    if (this.#locked)
      throw new FindlingError("storage_locked", `folder '${this.description}' is locked by this process`);
  }

  async lock(): Promise<WriteLock> {
    if (this.#dead) throw this.#error("lock", "", "the machine is down");
    await this.requireUnlocked();
    this.#locked = true;
    for (const name of this.unfinished()) this.#disk.bind(name, null);
    let held = true;
    return {
      lost: null,
      release: async () => {
        if (held) this.#locked = false;
        held = false;
      },
    };
  }

  async #replace(name: string, chunks: readonly Uint8Array[]): Promise<void> {
    const file = await this.#stage(name, chunks);
    try {
      this.#rename(name, file);
    } catch (error) {
      this.#discard(name);
      throw error;
    }
  }

  #rename(name: string, file: SimulatedFile): void {
    this.#change(this.#begin(), "rename", name, () => {
      this.#disk.bind(temporaryName(name), null);
      this.#disk.bind(name, file);
    });
  }

  #discard(name: string): void {
    if (!this.#dead) this.#disk.bind(temporaryName(name), null);
  }

  /** Writes and syncs the temporary file of a name. */
  async #stage(name: string, chunks: readonly Uint8Array[]): Promise<SimulatedFile> {
    const file = new SimulatedFile();
    this.#aliveOrFail("write", name);
    this.#disk.bind(temporaryName(name), file);
    try {
      this.#write(name, file, 0, joined(chunks));
      await this.#syncFile(name, file);
      return file;
    } catch (error) {
      this.#discard(name);
      throw error;
    }
  }

  #appendFile(name: string, file: SimulatedFile): AppendFile {
    return {
      get size() {
        return file.size;
      },
      append: async (bytes) => this.#write(name, file, file.size, bytes),
      writeAt: async (offset, bytes) => this.#write(name, file, offset, bytes),
      truncate: async (size) => this.#change(this.#begin(), "resize", name, () => file.truncate(size)),
      sync: () => this.#syncFile(name, file),
      close: async () => {},
    };
  }

  #write(name: string, file: SimulatedFile, offset: number, bytes: Uint8Array): void {
    const fate = this.#begin();
    if (fate !== "run") {
      file.write(offset, bytes.subarray(0, this.#random.below(bytes.length)));
      this.#orFail(fate, "write", name);
    }
    for (let done = 0; done < bytes.length; ) {
      const page = Math.floor((offset + done) / PAGE_LENGTH);
      const length = Math.min(bytes.length - done, (page + 1) * PAGE_LENGTH - offset - done);
      const piece = bytes.subarray(done, done + length);
      if (this.#isFull() && !file.usesPage(page)) {
        throw this.#error("write", name, "the disk is full");
      }
      file.write(offset + done, piece);
      done += length;
    }
  }

  #isFull(): boolean {
    return this.capacity !== null && this.#disk.usedBytes + PAGE_LENGTH > this.capacity;
  }

  async #syncFile(name: string, file: SimulatedFile): Promise<void> {
    const fate = this.#begin();
    if (fate === "fail") file.failSync(this.#random);
    this.#orFail(fate, "sync", name);
    const end = file.beginSync();
    // Time for other work to write meanwhile, and for a crash before the sync is through.
    await new Promise((resolve) => setImmediate(resolve));
    this.#aliveOrFail("sync", name);
    end();
  }

  #read<T>(name: string, read: () => T): T {
    this.#orFail(this.#begin(), "read", name);
    if (this.unreadable.has(name))
      throw this.#error("read", name, "the device reports a read or write error");
    return read();
  }

  /** A change that happens as a whole or not: on a crash, either. */
  #change(fate: Fate, action: string, name: string, change: () => void): void {
    if (fate === "run" || (fate === "die" && this.#random.next() < 0.5)) change();
    this.#orFail(fate, action, name);
  }

  #begin(): Fate {
    this.#aliveOrFail("use", "");
    this.#operations++;
    if (this.#operations === this.#failAt) return "fail";
    if (this.#operations !== this.#dieAt) return "run";
    this.#dead = true;
    return "die";
  }

  #aliveOrFail(action: string, name: string): void {
    if (this.#dead) throw this.#error(action, name, "the machine is down");
  }

  #orFail(fate: Fate, action: string, name: string): void {
    if (fate === "fail") throw this.#error(action, name, "the device reports a read or write error");
    if (fate === "die") throw this.#error(action, name, "the machine is down");
  }

  #existing(name: string): SimulatedFile {
    const file = this.#disk.file(name);
    if (file === undefined) throw new CorruptionError(`${this.description}/${name}`, "it is missing");
    return file;
  }

  #error(action: string, name: string, reason: string): FindlingError {
    return new FindlingError(
      "storage_unavailable",
      `cannot ${action} '${this.description}/${name}': ${reason}`,
    );
  }
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}
