import {
  type CanonicalDocument,
  type DocumentId,
  DocumentIdSource,
  type DocumentsReplaced,
  type EngineSchema,
  encodeForAdding,
  type HeldCommit,
  type HeldSearcher,
  type KeptValueMatch,
  type KeyConflicts,
  type Query,
  type Searcher,
  type SharedSnapshot,
} from "../../../engine/server-door.js";
import { FindlingError } from "../../../errors/index.js";
import type { UnreadDocuments } from "../../../intake/read-documents.js";
import type { ChangeOptions, DocumentChange, DocumentsChanged } from "../../../ports/document-change.js";
import type { DocumentsWritten } from "../../../ports/search-backend.js";
import type { FollowedState } from "./followed-state.js";
import { fromPlainError } from "./plain-error.js";
import { type ServedIndex, WAITING_WRITES_MAX } from "./served-index.js";
import type { WriteBacklog } from "./write-backlog.js";
import type { IndexNumber, IndexState, RemoteHold, WritingCall } from "./writing-protocol.js";

/** How a call gets to the thread that writes. */
export type CallWritingThread = (call: WritingCall, handedOver?: readonly ArrayBuffer[]) => Promise<unknown>;

export interface RemoteIndexParts {
  readonly call: CallWritingThread;
  readonly seen: FollowedState;
  readonly backlog: WriteBacklog;
  /** Told once nothing more is wanted of the thread. */
  readonly onClosed: () => void;
}

/** An index that another thread writes, as it is seen here: its newest state can be searched. */
export class RemoteIndex implements ServedIndex {
  readonly number: IndexNumber;
  readonly #call: CallWritingThread;
  readonly #seen: FollowedState;
  readonly #backlog: WriteBacklog;
  readonly #onClosed: () => void;
  readonly #ids = new DocumentIdSource();
  #state: IndexState = NEW_STATE;
  /** What failed on this side: the thread has ended, or a state can't be opened. */
  #failure: FindlingError | null = null;
  #isThreadGone = false;
  #closing: Promise<void> | null = null;
  /** Calls that are not answered. */
  #calls = 0;
  #waitingWrites = 0;
  /** What is done here before a call can be posted: in the order of the calls. */
  #turn: Promise<unknown> = Promise.resolve();
  /** States that are being opened. */
  #following: Promise<void> = Promise.resolve();

  constructor(number: IndexNumber, { call, seen, backlog, onClosed }: RemoteIndexParts) {
    this.number = number;
    this.#call = call;
    this.#seen = seen;
    this.#backlog = backlog;
    this.#onClosed = onClosed;
  }

  /** For the host: creates or opens it. */
  async start(call: WritingCall): Promise<void> {
    try {
      await this.#post(call);
    } catch (error) {
      await this.#seen.close();
      throw error;
    }
  }

  get searcher(): Searcher {
    this.#refuseClosed();
    return this.#seen.searcher;
  }

  get schema(): EngineSchema {
    return this.#seen.searcher.schema;
  }

  get failure(): FindlingError | null {
    if (this.#failure !== null || this.#state.failure === null) return this.#failure;
    const failure = fromPlainError(this.#state.failure);
    return failure instanceof FindlingError
      ? failure
      : new FindlingError("storage_unavailable", failure.message, { cause: failure });
  }

  get hasPendingWrites(): boolean {
    return this.#state.hasPendingWrites;
  }

  get commits(): number {
    return this.#seen.commits;
  }

  get documentCount(): number {
    return this.#seen.searcher.docCount;
  }

  get bytesOnDisk(): number {
    return this.#state.bytesOnDisk;
  }

  get bytesInMemory(): number {
    return this.#state.bytesInMemory;
  }

  get isSettled(): boolean {
    return this.#calls === 0 && (this.#isThreadGone || this.#state.isSettled);
  }

  holdSearcher(): HeldSearcher {
    this.#refuseClosed();
    return this.#seen.hold();
  }

  document(documentId: DocumentId): string | null {
    return this.searcher.document(documentId);
  }

  async add(documents: readonly CanonicalDocument[]): Promise<readonly DocumentId[]> {
    // None is overwritten where none is replaced.
    return (await this.#add(documents)).ids as readonly DocumentId[];
  }

  replace(key: string, documents: readonly CanonicalDocument[]): Promise<DocumentsReplaced> {
    return this.#add(documents, key);
  }

  #add(documents: readonly CanonicalDocument[], key?: string): Promise<DocumentsReplaced> {
    return this.#addInTurn(async () => {
      const ids = this.#ids.next(documents.length);
      const { documents: _, ...encoded } = await encodeForAdding(this.schema, ids, documents, { key });
      const { json, offsets, keys } = encoded;
      const buffers = [json.buffer, offsets.buffer, ...(keys ? [keys.bytes.buffer, keys.starts.buffer] : [])];
      const bytes = buffers.reduce((sum, { byteLength }) => sum + byteLength, 0);
      const write = this.#backlog.run(bytes, () =>
        this.#ask({ kind: "add", index: this.number, documents: encoded }, buffers),
      );
      return {
        answer: write.then((replaced) => (replaced as DocumentsReplaced | null) ?? { ids, replaced: 0 }),
      };
    });
  }

  /** See `SearchBackend.addUnread`: the thread that writes reads them. */
  addUnread(documents: UnreadDocuments): Promise<DocumentsWritten> {
    const { buffer, byteLength } = documents.bytes;
    return this.#addInTurn(async () => ({
      answer: this.#backlog.run(
        READ_SIZE * byteLength,
        () =>
          this.#ask({ kind: "add_unread", index: this.number, documents }, [
            buffer,
          ]) as Promise<DocumentsWritten>,
      ),
    }));
  }

  /** See `SearchBackend.change`. */
  change(changes: readonly DocumentChange[], options: ChangeOptions): Promise<DocumentsChanged> {
    return this.#addInTurn(async () => ({
      answer: this.#ask({
        kind: "change",
        index: this.number,
        changes,
        options,
      }) as Promise<DocumentsChanged>,
    }));
  }

  keyConflicts(field: string): Promise<KeyConflicts> {
    return this.#post({ kind: "key_conflicts", index: this.number, field });
  }

  deleteByQuery(query: Query, timeLimitMs?: number): Promise<number> {
    return this.#post({ kind: "delete_by_query", index: this.number, query, timeLimitMs });
  }

  deleteByKeptValue(field: string, match: KeptValueMatch, timeLimitMs?: number): Promise<number> {
    return this.#post({ kind: "delete_by_kept_value", index: this.number, field, match, timeLimitMs });
  }

  deleteAll(): Promise<number> {
    return this.#post({ kind: "delete_all", index: this.number });
  }

  commit(): Promise<void> {
    return this.#post({ kind: "commit", index: this.number });
  }

  rollback(): Promise<void> {
    return this.#post({ kind: "rollback", index: this.number });
  }

  async holdCommit(): Promise<HeldCommit> {
    const { hold, ...held } = await this.#post<RemoteHold>({ kind: "hold_commit", index: this.number });
    let isHeld = true;
    return {
      ...held,
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        // Nothing is held any more where the thread has ended.
        this.#post({ kind: "release_commit", index: this.number, hold }).catch(() => undefined);
      },
    };
  }

  async settled(): Promise<void> {
    // A thread that has ended does nothing any more.
    await this.#post({ kind: "settled", index: this.number }).catch((error: unknown) => {
      if (!this.#isThreadGone) throw error;
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** For the host: another state to be searched. */
  follow(snapshot: SharedSnapshot, commits: number): Promise<void> {
    this.#following = this.#seen.follow(snapshot, commits).catch((error: unknown) => {
      this.#failure = new FindlingError(
        "storage_unavailable",
        "what was committed can't be opened for searching; the index is opened again by the next write",
        { cause: error },
      );
      throw this.#failure;
    });
    return this.#following;
  }

  /** For the host: the index's own account of itself. */
  setState(state: IndexState): void {
    this.#state = state;
  }

  /** For the host: nothing that was asked will be answered. */
  threadEnded(error: FindlingError): void {
    this.#isThreadGone = true;
    this.#failure ??= error;
  }

  async #close(): Promise<void> {
    try {
      if (!this.#isThreadGone) {
        await this.#inTurn(async () => ({ answer: this.#ask({ kind: "close", index: this.number }) }));
      }
    } catch (error) {
      if (!this.#isThreadGone) throw error;
    } finally {
      this.#onClosed();
      await this.#seen.close();
    }
  }

  #post<T>(call: WritingCall): Promise<T> {
    return this.#inTurn(async () => ({ answer: this.#ask(call) as Promise<T> }));
  }

  /** As `#inTurn`, for documents. @throws FindlingError `rate_limited` if too many writes wait */
  async #addInTurn<T>(prepare: () => Promise<{ readonly answer: Promise<T> }>): Promise<T> {
    if (this.#waitingWrites >= WAITING_WRITES_MAX) {
      throw new FindlingError(
        "rate_limited",
        `${this.#waitingWrites} writes to the index wait for their turn; send this one again in a moment`,
        { retryAfterSeconds: 1 },
      );
    }
    this.#waitingWrites++;
    try {
      return await this.#inTurn(prepare);
    } finally {
      this.#waitingWrites--;
    }
  }

  /** Prepares a call after those before it, and resolves with its answer. */
  async #inTurn<T>(prepare: () => Promise<{ readonly answer: Promise<T> }>): Promise<T> {
    this.#calls++;
    try {
      const turn = this.#turn.then(prepare);
      this.#turn = turn.catch(() => undefined);
      const { answer } = await turn;
      return await answer;
    } finally {
      this.#calls--;
    }
  }

  /** Resolves when searches see what the call has brought about. */
  async #ask(call: WritingCall, handedOver?: readonly ArrayBuffer[]): Promise<unknown> {
    if (this.#isThreadGone) throw this.#failure!;
    const result = await this.#call(call, handedOver);
    await this.#following;
    return result;
  }

  #refuseClosed(): void {
    if (this.#closing !== null) throw new FindlingError("storage_unavailable", "the index is closed");
  }
}

/** Documents take so many times their body while they are read: the body, and the same encoded. */
const READ_SIZE = 2;

/** Until it tells of itself. */
const NEW_STATE: IndexState = {
  failure: null,
  hasPendingWrites: false,
  bytesOnDisk: 0,
  bytesInMemory: 0,
  isSettled: false,
};
