import { FindlingError } from "../../errors/index.js";
import { crc32 } from "../bytes/crc32.js";
import { hexOf } from "../bytes/file-owner.js";
import { releaseBuffer } from "../bytes/release-buffer.js";
import type { AppendFile, Directory, NewFiles } from "../directory/directory.js";
import {
  encodeFileHeader,
  FILE_HEADER_LENGTH,
  LENGTH_UNIT,
  MARK_KIND,
  RECORD_HEADER_LENGTH,
  RecordHeaderCodec,
  recordLength,
  recordPadding,
  roundUpLength,
} from "./journal-format.js";
import { type JournalContents, type JournalEntry, readJournal, readUnsyncedTail } from "./read-journal.js";

/** Longest payload in bytes. */
export const PAYLOAD_LENGTH_MAX: number = 256 * 1024 * 1024;
/** How long the file is while no entry has been put into it: the first one makes it longer, and it stays so. */
export const EMPTY_JOURNAL_LENGTH: number = LENGTH_UNIT;
/** Offsets are kept as 32-bit numbers of 8 bytes. */
const JOURNAL_LENGTH_MAX = 2 ** 32 * 8;
/** Payloads up to this many bytes are copied next to their header, to be one write. */
const JOINED_LENGTH_MAX = 64 * 1024;
const GROWTH_MAX = 16 * 1024 * 1024;
/**
 * Zeros are written ahead of the end once so many short entries have come in a row, and fewer bytes than this of
 * what was written before are left. An object so that tests can change it.
 */
export const zerosAhead: { entriesMin: number; bytesMin: number } = {
  entriesMin: 16,
  bytesMin: LENGTH_UNIT / 2,
};
/** Bytes of zeros at a time, at most: as many as the file has, so that small ones stay small. */
const ZEROS_MAX = 1024 * 1024;
/** Written at a time; so few that it needs no turn of the thread pool. */
const WIPED_LENGTH = 64 * 1024;
const EMPTY = new Uint8Array(0);

/**
 * Acknowledged writes that are in no commit yet (FORMAT.md). `append` puts an entry into the file,
 * `sync` makes all entries appended so far outlive a power loss; after a crash `open` and `replay`
 * hand them over again, in order. Entries that no `sync` covered come back as a prefix of those appended, or
 * not at all. One writer per file; its methods may be called without waiting for each other and
 * entries keep the order of the calls.
 */
export class Journal {
  /** What the file was created with. */
  readonly generation: number;
  /** As hex digits: no other journal has the same. */
  readonly salt: string;
  readonly #directory: Directory;
  readonly #name: string;
  /** For messages. */
  readonly #path: string;
  readonly #file: AppendFile;
  readonly #codec: RecordHeaderCodec;
  /** Offset after the last whole record. */
  #end: number;
  #syncedThrough: number;
  /** Length that the file is known to have on disk: it never gets shorter than that. */
  #durableLength: number;
  #entryCount: number;
  /** Offset after the last entry: what follows are marks, which need no sync. */
  #entriesEnd: number;
  /** Offset up to which the file's blocks are known to have been written. */
  #writtenThrough: number;
  #shortEntries = 0;
  #isWritingZeros = false;
  #hasUnsyncedZeros = false;
  /** Whether the file got shorter since the last sync began. */
  #shortened = false;
  /** The write under way and those waiting for it, one after the other. */
  #writes: Promise<void> = Promise.resolve();
  #runningSync: Promise<void> = Promise.resolve();
  /** A sync that hasn't started: it will cover everything appended until it does. */
  #waitingSync: Promise<void> | null = null;
  #failure: FindlingError | null = null;
  #closed = false;

  private constructor(directory: Directory, name: string, file: AppendFile, contents: JournalContents) {
    this.generation = contents.generation;
    this.salt = hexOf(contents.salt);
    this.#directory = directory;
    this.#name = name;
    this.#path = `${directory.description}/${name}`;
    this.#file = file;
    this.#codec = new RecordHeaderCodec(contents.salt);
    this.#end = contents.end;
    this.#syncedThrough = contents.syncedThrough;
    this.#durableLength = contents.durableLength;
    this.#entryCount = contents.entryCount;
    this.#entriesEnd = contents.entriesEnd;
    this.#writtenThrough = contents.end;
  }

  /**
   * Makes an empty journal; once it resolves, the file and its name are durable. The name must be
   * free. `generation`, a number of the caller's, is kept in it.
   */
  static async create(directory: Directory, name: string, generation = 0): Promise<Journal> {
    const { begin } = await Journal.prepare(directory, name, generation);
    return begin(directory);
  }

  /**
   * As `create`, in two steps, so that the file can be written with others.
   *
   * @returns its salt, and what opens the journal, once `files` are durable
   */
  static async prepare(
    files: NewFiles,
    name: string,
    generation = 0,
  ): Promise<{ readonly salt: string; readonly begin: (directory: Directory) => Promise<Journal> }> {
    const salt = crypto.getRandomValues(new Uint8Array(8));
    const bytes = new Uint8Array(EMPTY_JOURNAL_LENGTH);
    bytes.set(encodeFileHeader({ generation, salt }));
    await files.write(name, [bytes]);
    const end = FILE_HEADER_LENGTH;
    const begin = async (directory: Directory): Promise<Journal> => {
      const file = await directory.openAppend(name, { create: false });
      const journal = new Journal(directory, name, file, {
        generation,
        salt,
        entryCount: 0,
        end,
        syncedThrough: end,
        entriesEnd: end,
        used: end,
        durableLength: EMPTY_JOURNAL_LENGTH,
      });
      journal.#writtenThrough = EMPTY_JOURNAL_LENGTH;
      return journal;
    };
    return { salt: hexOf(salt), begin };
  }

  /**
   * Checks the whole file and makes all its entries durable, so that they count as acknowledged;
   * `replay` hands them over.
   * @param look is shown each entry, before it is known that the file is whole
   * @param salt that the file must have; null: any
   * @throws CorruptionError naming the file if it is missing, another one or cut, or if anything is damaged that
   * was synced once; FindlingError `storage_unavailable`
   */
  static async open(
    directory: Directory,
    name: string,
    look: (entry: JournalEntry) => void = () => undefined,
    salt: string | null = null,
  ): Promise<Journal> {
    const contents = await readJournal(directory, name, look, salt);
    const tail = await readUnsyncedTail(directory, name, contents);
    const file = await directory.openAppend(name, { create: false });
    try {
      const journal = new Journal(directory, name, file, contents);
      await journal.#repair(contents, tail);
      return journal;
    } catch (error) {
      await file.close().catch(() => undefined);
      throw error;
    }
  }

  /** Bytes of the file in use. */
  get size(): number {
    return this.#end;
  }

  /** Set by a sync that failed: it takes nothing more then. */
  get failure(): FindlingError | null {
    return this.#failure;
  }

  /** Entries in the file, synced or not. */
  get entryCount(): number {
    return this.#entryCount;
  }

  /**
   * Hands over all entries in order, one at a time; to be called before the first `append`. At most
   * one payload and 256 KiB are in memory.
   */
  async replay(visit: (entry: JournalEntry) => void | Promise<void>): Promise<void> {
    await readJournal(this.#directory, this.#name, visit);
  }

  /**
   * Adds an entry; `kind` is from 1 to 255. Not durable before the next `sync`. The payload isn't
   * changed until it resolves. After a failure the journal is as it was before.
   * @throws FindlingError `payload_too_large` above 256 MiB, `storage_unavailable` if the disk is full
   * or fails, or if the journal is too long or has failed to sync before
   */
  async append(kind: number, payload: Uint8Array): Promise<void> {
    if (!Number.isInteger(kind) || kind <= MARK_KIND || kind > 255)
      throw new RangeError(`a kind is 1 to 255, not ${kind}`);
    if (payload.length > PAYLOAD_LENGTH_MAX) {
      throw new FindlingError(
        "payload_too_large",
        `one write is ${payload.length} bytes, the most is ${PAYLOAD_LENGTH_MAX}; send it in parts`,
      );
    }
    this.#checkOpen();
    await this.#inTurn(async () => {
      await this.#putRecord(kind, payload);
      this.#entryCount++;
      this.#entriesEnd = this.#end;
      this.#shortEntries = payload.length > JOINED_LENGTH_MAX ? 0 : this.#shortEntries + 1;
    });
  }

  /**
   * Makes all entries durable whose `append` has resolved. Many calls share one sync.
   * @throws FindlingError `storage_unavailable`; the journal then takes no more appends, since what
   * the disk holds is unknown until it is opened anew
   */
  async sync(): Promise<void> {
    this.#checkOpen();
    if (this.#waitingSync === null) {
      const sync = this.#runningSync.then(() => {
        this.#waitingSync = null;
        return this.#syncOnce();
      });
      this.#waitingSync = sync;
      this.#runningSync = sync.catch(() => undefined);
    }
    await this.#waitingSync;
  }

  /** Waits for what is under way and closes the file. Doesn't sync. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#runningSync;
    await this.#writes;
    await this.#file.close();
  }

  async #syncOnce(): Promise<void> {
    this.#checkUsable();
    const target = this.#end;
    const length = this.#file.size;
    const hasEntries = this.#entriesEnd > this.#syncedThrough;
    if (!hasEntries && !this.#hasUnsyncedZeros) return;
    this.#hasUnsyncedZeros = false;
    this.#shortened = false;
    try {
      await this.#file.sync();
    } catch (error) {
      this.#failure = new FindlingError(
        "storage_unavailable",
        `journal '${this.#path}' takes no more writes because it couldn't be synced; mend the disk and start anew`,
        { cause: error },
      );
      throw error;
    }
    this.#syncedThrough = target;
    // Shortened meanwhile, by an append that failed: which of the lengths is on disk is unknown.
    if (!this.#shortened) this.#durableLength = length;
    if (!hasEntries) return;
    await this.#putMark();
    void this.#writeZerosAhead();
  }

  /**
   * Writes zeros where the next short entries go, and syncs them when nobody waits for it. The file has zeros there
   * anyway, but where nothing was written a sync has to make durable, too, where on the disk the file goes on, and
   * waits for all that the file system is about to write for others. A failure is that of the next append.
   */
  async #writeZerosAhead(): Promise<void> {
    const { entriesMin, bytesMin } = zerosAhead;
    if (this.#isWritingZeros || this.#shortEntries < entriesMin) return;
    if (this.#writtenThrough - this.#end >= bytesMin) return;
    this.#isWritingZeros = true;
    try {
      await this.#inTurn(async () => {
        const from = Math.max(this.#writtenThrough, this.#end);
        const to = roundUpLength(from + Math.min(this.#end, ZEROS_MAX));
        if (this.#file.size < to) await this.#file.truncate(to);
        await this.#wipe(from, to);
        this.#writtenThrough = to;
      });
      this.#hasUnsyncedZeros = true;
      await this.sync();
      this.#isWritingZeros = false;
    } catch {
      // The disk is full, or has failed: not again in this file.
    }
  }

  /** Vouches for what has been synced. Not needed for durability, so a full disk is no failure here. */
  async #putMark(): Promise<void> {
    await this.#inTurn(() => this.#putRecord(MARK_KIND, EMPTY)).catch(() => undefined);
  }

  async #putRecord(kind: number, payload: Uint8Array): Promise<void> {
    const start = this.#end;
    const length = recordLength(payload.length);
    if (start + length > JOURNAL_LENGTH_MAX) {
      throw new FindlingError(
        "storage_unavailable",
        `journal '${this.#path}' is full: commit what is pending first`,
      );
    }
    const header = this.#codec.encode(start, {
      kind,
      payloadLength: payload.length,
      payloadCrc: crc32(payload),
      syncedThrough: this.#syncedThrough,
      durableLength: this.#durableLength,
    });
    try {
      await this.#growTo(start + length);
      if (payload.length <= JOINED_LENGTH_MAX) {
        const record = new Uint8Array(length);
        record.set(header);
        record.set(payload, RECORD_HEADER_LENGTH);
        record.set(recordPadding(payload.length), RECORD_HEADER_LENGTH + payload.length);
        await this.#file.writeAt(start, record);
        releaseBuffer(record.buffer);
      } else {
        await this.#file.writeAt(start, header);
        await this.#file.writeAt(start + RECORD_HEADER_LENGTH, payload);
        await this.#file.writeAt(
          start + RECORD_HEADER_LENGTH + payload.length,
          recordPadding(payload.length),
        );
      }
    } catch (error) {
      await this.#undo(start);
      throw error;
    }
    this.#end = start + length;
    this.#writtenThrough = Math.max(this.#writtenThrough, this.#end);
  }

  /** Keeps the file a step ahead of its end, so that a cut down to what the end has passed shows. */
  async #growTo(end: number): Promise<void> {
    const length = this.#file.size;
    if (end + LENGTH_UNIT <= length) return;
    const growth = Math.min(Math.max(roundUpLength(length / 4), LENGTH_UNIT), GROWTH_MAX);
    await this.#file.truncate(roundUpLength(Math.max(end + LENGTH_UNIT, length + growth)));
  }

  /**
   * Gives back the space of a record that failed and wipes its header. What can't be undone does no
   * harm: the record lacks its last byte, so it isn't whole, and the next one overwrites it.
   */
  async #undo(start: number): Promise<void> {
    const length = Math.max(roundUpLength(start), this.#durableLength);
    if (length < this.#file.size) {
      this.#shortened = true;
      this.#writtenThrough = Math.min(this.#writtenThrough, length);
      await this.#file.truncate(length).catch(() => undefined);
    }
    const wiped = Math.min(RECORD_HEADER_LENGTH, this.#file.size - start);
    if (wiped > 0) await this.#file.writeAt(start, new Uint8Array(wiped)).catch(() => undefined);
  }

  /** Wipes an interrupted write, writes again what may not be durable, and syncs. */
  async #repair(contents: JournalContents, tail: Uint8Array | null): Promise<void> {
    if (contents.used > contents.end) {
      const length = Math.max(roundUpLength(contents.end), this.#durableLength);
      if (length < this.#file.size) await this.#file.truncate(length);
      await this.#wipe(contents.end, Math.min(contents.used, length));
    } else if (tail === null) {
      return;
    }
    if (tail !== null) await this.#file.writeAt(contents.syncedThrough, tail);
    await this.#file.sync();
    this.#syncedThrough = contents.end;
    this.#durableLength = this.#file.size;
    await this.#putMark();
  }

  async #wipe(from: number, to: number): Promise<void> {
    const zeros = new Uint8Array(Math.min(to - from, WIPED_LENGTH));
    for (let offset = from; offset < to; offset += zeros.length) {
      await this.#file.writeAt(offset, zeros.subarray(0, Math.min(zeros.length, to - offset)));
    }
  }

  /** Runs `work` after all writes asked for before. */
  async #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#writes.then(async () => {
      this.#checkUsable();
      await work();
    });
    this.#writes = turn.catch(() => undefined);
    await turn;
  }

  #checkOpen(): void {
    if (this.#closed) throw new FindlingError("internal", `journal '${this.#path}' is closed`);
  }

  #checkUsable(): void {
    if (this.#failure !== null) throw this.#failure;
  }
}
