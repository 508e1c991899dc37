import { CorruptionError, FindlingError } from "../../errors/index.js";
import type {
  AllocateBytes,
  AppendFile,
  Directory,
  FileChunks,
  NewFile,
  RandomAccessFile,
  StagedFile,
  WriteLock,
} from "./directory.js";
import { checkFileName } from "./file-names.js";
import { gatherChunks } from "./gather-chunks.js";
import { sharedBytes } from "./shared-bytes.js";
import { storageError } from "./storage-error.js";

/** A file's bytes; `capacity` may be larger than the file. */
interface MemoryFile {
  capacity: Uint8Array;
  size: number;
}

/** The files of an index in memory, for tests and for indexes that nobody needs after the process. */
export class MemoryDirectory implements Directory {
  readonly description = "memory";
  readonly #files = new Map<string, MemoryFile>();
  #locked = false;

  async list(): Promise<readonly string[]> {
    return [...this.#files.keys()].sort();
  }

  async read(name: string, allocate: AllocateBytes = sharedBytes): Promise<Uint8Array<SharedArrayBuffer>> {
    const file = this.#existing(name);
    const bytes = allocate(file.size);
    bytes.set(file.capacity.subarray(0, file.size));
    return bytes;
  }

  async open(name: string): Promise<RandomAccessFile> {
    return new MemoryRandomAccess(`${this.description}/${name}`, this.#existing(name));
  }

  async write(name: string, chunks: FileChunks): Promise<void> {
    this.#claim(name, joined(await gatherChunks(chunks)));
  }

  async writeTogether(files: readonly NewFile[]): Promise<void> {
    for (const { name } of files) this.#refuseTaken(name);
    for (const { name, chunks } of files) this.#claim(name, joined(chunks));
  }

  writeUnsynced(files: readonly NewFile[]): Promise<void> {
    return this.writeTogether(files);
  }

  async syncFiles(): Promise<void> {}

  async stage(name: string, bytes: Uint8Array): Promise<StagedFile> {
    checkFileName(name);
    const file = joined([bytes]);
    return {
      publish: async () => {
        this.#files.set(name, file);
      },
      discard: async () => {},
    };
  }

  async publish(name: string, bytes: Uint8Array): Promise<void> {
    await (await this.stage(name, bytes)).publish();
  }

  async openAppend(name: string, options: { readonly create: boolean }): Promise<AppendFile> {
    if (options.create) this.#claim(name, joined([]));
    return new MemoryAppend(this.#existing(name));
  }

  async delete(name: string): Promise<void> {
    this.#files.delete(name);
  }

  async sync(): Promise<void> {}

  async deleteUnfinished(): Promise<void> {}

  async lock(): Promise<WriteLock> {
    await this.requireUnlocked();
    this.#locked = true;
    let held = true;
    return {
      lost: null,
      release: async () => {
        if (held) this.#locked = false;
        held = false;
      },
    };
  }

  async requireUnlocked(): Promise<void> {
    if (!this.#locked) return;
    throw new FindlingError(
      "storage_locked",
      "the folder in memory is locked by this process; release it first",
    );
  }

  #existing(name: string): MemoryFile {
    const file = this.#files.get(name);
    if (file === undefined) throw new CorruptionError(`${this.description}/${name}`, "it is missing");
    return file;
  }

  #claim(name: string, file: MemoryFile): void {
    this.#refuseTaken(name);
    this.#files.set(name, file);
  }

  #refuseTaken(name: string): void {
    checkFileName(name);
    if (!this.#files.has(name)) return;
    const taken = Object.assign(new Error("exists"), { code: "EEXIST" });
    throw storageError("create", `${this.description}/${name}`, taken);
  }
}

class MemoryRandomAccess implements RandomAccessFile {
  readonly name: string;
  readonly size: number;
  readonly #file: MemoryFile;

  constructor(name: string, file: MemoryFile) {
    this.name = name;
    this.size = file.size;
    this.#file = file;
  }

  read(offset: number, length: number): Uint8Array {
    return this.#view(offset, length).slice();
  }

  readInto(offset: number, length: number, target: Uint8Array, at: number): void {
    target.set(this.#view(offset, length), at);
  }

  close(): void {}

  #view(offset: number, length: number): Uint8Array {
    const end = offset + length;
    const size = Math.min(this.size, this.#file.size);
    if (end > size) throw new CorruptionError(this.name, `it ends at byte ${size}, before byte ${end}`);
    return this.#file.capacity.subarray(offset, end);
  }
}

class MemoryAppend implements AppendFile {
  readonly #file: MemoryFile;

  constructor(file: MemoryFile) {
    this.#file = file;
  }

  get size(): number {
    return this.#file.size;
  }

  async append(bytes: Uint8Array): Promise<void> {
    await this.writeAt(this.#file.size, bytes);
  }

  async writeAt(offset: number, bytes: Uint8Array): Promise<void> {
    this.#resize(Math.max(this.#file.size, offset + bytes.length));
    this.#file.capacity.set(bytes, offset);
  }

  async truncate(size: number): Promise<void> {
    this.#resize(size);
  }

  async sync(): Promise<void> {}

  async close(): Promise<void> {}

  #resize(size: number): void {
    const file = this.#file;
    if (size > file.capacity.length) {
      const grown = new Uint8Array(Math.max(size, file.capacity.length * 2));
      grown.set(file.capacity.subarray(0, file.size));
      file.capacity = grown;
    } else if (size < file.size) {
      // What a file grows by later reads as zeros.
      file.capacity.fill(0, size, file.size);
    }
    file.size = size;
  }
}

function joined(chunks: readonly Uint8Array[]): MemoryFile {
  const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const capacity = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    capacity.set(chunk, offset);
    offset += chunk.length;
  }
  return { capacity, size };
}
