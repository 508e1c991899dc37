import {
  type EngineSchema,
  FileDirectory,
  glanceAtIndex,
  type IndexGlance,
  isWantOfRoom,
} from "../../engine/server-door.js";
import { CorruptionError, FindlingError } from "../../errors/index.js";
import { ReadingCopy } from "./reading-copy.js";
import type { IndexHost, ServedIndex } from "./writing/served-index.js";

/** What happens around an index, for those who keep the indexes of a server. */
export interface EmbeddedIndexEvents {
  /** Opening costs memory and file handles: `open` is to be run when there is room. */
  whenThereIsRoom<T>(open: () => Promise<T>): Promise<T>;
  /** It was used, or is about to be. */
  onUse(index: EmbeddedIndex): void;
  /** It is closed: who else has files of this folder open closes them. */
  onSleep(path: string): void;
  /** Resolves if the index may be written. @throws FindlingError `storage_unavailable` saying why not */
  requireWritable(): Promise<void>;
  /** It is open, but for reading only: why. */
  onReadOnly(problem: FindlingError): void;
  /** It can't be opened: told once, not with every request. */
  onDamage(problem: FindlingError): void;
}

/** An index that stays open until it is released. */
export interface HeldIndex {
  readonly index: ServedIndex;
  /** Calling it again does nothing. */
  release(): void;
}

/**
 * One index and its life in the server. It sleeps, with nothing open and next to nothing in memory,
 * until it is used; it is opened again after a failure of the disk, and kept closed while its files
 * are damaged, so that nothing is written over them. Pending writes are in the journal, asleep or not.
 */
export class EmbeddedIndex {
  readonly #folder: string;
  readonly #host: IndexHost;
  readonly #events: EmbeddedIndexEvents;
  #index: ServedIndex | null = null;
  /** Where it is open from while its folder takes nothing new: it can only be read then. */
  #copy: ReadingCopy | null = null;
  /** Why the index can't be opened; reads are answered with it, writes try again. */
  #damage: FindlingError | null = null;
  /** Opening or closing that is under way. */
  #change: Promise<void> | null = null;
  #users = 0;
  /** As it fell asleep, or as its files say. */
  #glance: IndexGlance | null = null;
  /** The commit that searches saw last, and its number. */
  #seen: { readonly index: ServedIndex; readonly commits: number } | null = null;
  #generation = 0;
  #isClosed = false;

  /** @param folder its own */
  constructor(folder: string, host: IndexHost, events: EmbeddedIndexEvents) {
    this.#folder = folder;
    this.#host = host;
    this.#events = events;
  }

  /** The folder whose files it has open, or will have. */
  get path(): string {
    return this.#copy?.path ?? this.#folder;
  }

  async create(schema: EngineSchema): Promise<void> {
    this.#index = await this.#events.whenThereIsRoom(() => this.#host.create(this.#folder, schema));
    this.#events.onUse(this);
  }

  /** Whether `sleep` would put it to sleep now. */
  get isIdle(): boolean {
    const index = this.#index;
    return index !== null && this.#users === 0 && this.#change === null && index.isSettled;
  }

  /** 0 while it sleeps. */
  get bytesInMemory(): number {
    return this.#index?.bytesInMemory ?? 0;
  }

  /**
   * Runs a read with the index open; at once if it is.
   *
   * @throws FindlingError `storage_corrupt`, `storage_unavailable`, here or by the promise
   */
  read<T>(run: (index: ServedIndex) => T | Promise<T>): T | Promise<T> {
    const index = this.#index;
    if (index === null || this.#isClosed) return this.#readHeld(run);
    this.#users++;
    let result: T | Promise<T>;
    try {
      result = run(index);
    } catch (error) {
      this.#endUse();
      throw error;
    }
    if (result instanceof Promise) return result.finally(() => this.#endUse());
    this.#endUse();
    return result;
  }

  /** As `read`, for a write: opens the index again first if the disk failed it. */
  async write<T>(run: (index: ServedIndex) => Promise<T>): Promise<T> {
    const { index, release } = await this.holdForWriting();
    try {
      return await run(index);
    } finally {
      release();
    }
  }

  /** Keeps the index open until it is released. @throws as `read` */
  hold(): Promise<HeldIndex> {
    return this.#hold(async () => {
      // One that the disk has failed goes on answering reads while it is opened again.
      while (this.#index === null && this.#change !== null) await this.#change.catch(() => undefined);
      if (this.#index !== null) return;
      if (this.#damage?.code === "storage_corrupt") throw this.#damage;
      await this.#wake();
    });
  }

  /** As `hold`, for writes. */
  holdForWriting(): Promise<HeldIndex> {
    return this.#hold(async () => {
      await this.#events.requireWritable();
      for (;;) {
        while (this.#change !== null) await this.#change.catch(() => undefined);
        if (this.#index === null) await this.#wake();
        else if (this.#copy === null && this.#index.failure === null) return;
        else return await this.#reopen(this.#index);
      }
    });
  }

  /** As it is, or as its files say, without opening it if they can say it. @throws as `read` */
  async glance(): Promise<IndexGlance> {
    while (this.#index === null && this.#change !== null) await this.#change.catch(() => undefined);
    if (this.#index !== null) return glanceOf(this.#index);
    this.#refuseClosed();
    if (this.#damage?.code === "storage_corrupt") throw this.#damage;
    if (this.#glance !== null) return this.#glance;
    // Alone, since an open index changes its files.
    let isWhole = true;
    await this.#alone(async () => {
      const glance = await this.#checked(async () =>
        glanceAtIndex(await FileDirectory.open(this.#folder, { create: false })),
      );
      isWhole = !glance.hasCommitsInJournal;
      if (isWhole) this.#glance = glance;
    });
    // After a crash: how many documents there are is known once they have been made of the journal.
    return isWhole ? this.glance() : this.read(glanceOf);
  }

  /** A number that stays for as long as searches find the same, whatever is merged; `next` gives a new one. */
  async generation(next: () => number): Promise<number> {
    if (this.#index === null && this.#generation !== 0) return this.#generation;
    return this.read((index) => {
      if (!this.#isSeen(index)) this.#generation = next();
      this.#see(index);
      return this.#generation;
    });
  }

  /** Closes the files and frees the memory until the index is used again; does nothing unless it is idle. */
  async sleep(): Promise<void> {
    const index = this.#index;
    if (index === null || !this.isIdle) return;
    this.#glance = glanceOf(index);
    if (!this.#isSeen(index)) this.#generation = 0;
    this.#seen = null;
    this.#index = null;
    this.#events.onSleep(this.path);
    const copy = this.#takeCopy();
    await this.#alone(async () => {
      await index.close();
      await copy?.delete();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    while (this.#change !== null) await this.#change.catch(() => undefined);
    const index = this.#index;
    this.#index = null;
    this.#seen = null;
    const copy = this.#takeCopy();
    try {
      await index?.close();
    } finally {
      await copy?.delete();
    }
  }

  async #readHeld<T>(run: (index: ServedIndex) => T | Promise<T>): Promise<T> {
    const { index, release } = await this.hold();
    try {
      return await run(index);
    } finally {
      release();
    }
  }

  #endUse(): void {
    this.#users--;
    if (this.#index !== null) this.#events.onUse(this);
  }

  async #hold(ready: () => Promise<void>): Promise<HeldIndex> {
    // From here on it doesn't fall asleep.
    this.#users++;
    let isHeld = true;
    const release = (): void => {
      if (!isHeld) return;
      isHeld = false;
      this.#endUse();
    };
    try {
      this.#refuseClosed();
      await ready();
      this.#refuseClosed();
      this.#events.onUse(this);
      return { index: this.#index!, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  #isSeen(index: ServedIndex): boolean {
    return this.#seen?.index === index && this.#seen.commits === index.commits;
  }

  #see(index: ServedIndex): void {
    this.#seen = { index, commits: index.commits };
  }

  #wake(): Promise<void> {
    return this.#alone(async () => {
      this.#index = await this.#checked(() => this.#events.whenThereIsRoom(() => this.#openSomehow()));
      this.#glance = null;
      // Nothing has been committed in its sleep.
      if (this.#generation !== 0) this.#see(this.#index);
    });
  }

  #reopen(failed: ServedIndex): Promise<void> {
    return this.#alone(async () => {
      // A merge that is still under way would write files that the new one doesn't know of.
      await failed.settled();
      this.#index = await this.#checked(() => this.#open());
      const copy = this.#takeCopy();
      if (copy !== null) this.#events.onSleep(copy.path);
      await failed.close().catch(() => undefined);
      await copy?.delete().catch(() => undefined);
    });
  }

  /** Runs a change after which others can be sure of the state; to be called while there is none. */
  #alone(run: () => Promise<void>): Promise<void> {
    const change = run().finally(() => {
      this.#change = null;
    });
    this.#change = change;
    return change;
  }

  async #checked<T>(open: () => Promise<T>): Promise<T> {
    try {
      const opened = await open();
      this.#damage = null;
      return opened;
    } catch (error) {
      if (!(error instanceof FindlingError)) throw error;
      const problem =
        error.code === "index_not_found"
          ? new CorruptionError(this.#folder, "the index's files are gone")
          : error;
      if (problem.message !== this.#damage?.message) this.#events.onDamage(problem);
      this.#damage = problem;
      throw problem;
    }
  }

  async #open(): Promise<ServedIndex> {
    await this.#events.requireWritable();
    return this.#host.open(this.#folder);
  }

  /** For reading only where nothing can be written. */
  async #openSomehow(): Promise<ServedIndex> {
    try {
      return await this.#open();
    } catch (error) {
      if (!(error instanceof FindlingError) || !isWantOfRoom(error)) throw error;
      const copy = await ReadingCopy.make(this.#folder).catch(() => {
        throw error;
      });
      try {
        const index = await this.#host.openToRead(copy.path);
        this.#copy = copy;
        this.#events.onReadOnly(error);
        return index;
      } catch (failure) {
        await copy.delete();
        throw failure;
      }
    }
  }

  #takeCopy(): ReadingCopy | null {
    const copy = this.#copy;
    this.#copy = null;
    return copy;
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw new FindlingError("storage_unavailable", "the index is closed");
  }
}

function glanceOf(index: ServedIndex): IndexGlance {
  return {
    documentCount: index.documentCount,
    bytesOnDisk: index.bytesOnDisk,
    mayHavePendingWrites: index.hasPendingWrites,
    hasCommitsInJournal: false,
  };
}
