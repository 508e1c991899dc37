import type {
  DocumentsReplaced,
  EncodedDocuments,
  Index,
  IndexRewrite,
  Searcher,
} from "../../../engine/server-door.js";
import { releaseBuffer, shareSnapshot } from "../../../engine/server-door.js";
import type { UnreadDocuments } from "../../../intake/read-documents.js";
import type { DocumentsWritten } from "../../../ports/search-backend.js";
import { addUnread } from "./add-unread.js";
import { changeDocuments } from "./change-documents.js";
import type { IndexHooks, LocalIndexHost } from "./local-index-host.js";
import { toPlainError } from "./plain-error.js";
import type {
  Answered,
  FromWritingThread,
  IndexNumber,
  IndexState,
  RemoteHold,
  ToWritingThread,
  WritingCall,
} from "./writing-protocol.js";

/** An index that runs here, and the snapshots of it that were posted. */
interface Hosted {
  index: Index | null;
  /** Numbers of the snapshot that was posted last, and of the last that is known to have been opened. */
  posted: number;
  opened: number;
  /** To be called when all have been opened. */
  waiting: (() => void)[];
  isClosing: boolean;
  /** Whether its state is told once it is settled. */
  isWatched: boolean;
  /**
   * Fields as the last body brought them: they come anew with each, and what V8 has compiled for them is thrown away
   * while there are none (see `keepShapes`).
   */
  lastFields: UnreadDocuments["fields"] | null;
  /** What lets go of each commit that is held. */
  readonly holds: Map<number, () => void>;
}

/** The side of the thread that writes: runs calls on indexes, and posts each state that searches are to see. */
export class WritingService {
  readonly #host: LocalIndexHost;
  readonly #post: (message: FromWritingThread) => void;
  readonly #onAnswered: () => void;
  readonly #hosted = new Map<IndexNumber, Hosted>();
  readonly #rewrites = new Map<number, IndexRewrite>();
  #holdCount = 0;

  /** @param onAnswered told after each call, when its answer is on its way */
  constructor(
    host: LocalIndexHost,
    post: (message: FromWritingThread) => void,
    onAnswered: () => void = () => undefined,
  ) {
    this.#host = host;
    this.#post = post;
    this.#onAnswered = onAnswered;
  }

  /** To be called with each message in the order in which they come. */
  receive(message: ToWritingThread): void {
    if (message.kind === "opened") {
      this.#noteOpened(message.index, message.snapshot);
      return;
    }
    const { id, call } = message;
    this.#run(call).then(
      (result) => {
        this.#post({ kind: "answer", id, result, state: this.#stateAfter(call) });
        this.#onAnswered();
      },
      (error: unknown) => {
        this.#post({ kind: "refusal", id, error: toPlainError(error), state: this.#stateAfter(call) });
        this.#onAnswered();
      },
    );
  }

  /** Begins what the call asks for before it returns, so that writes keep their order. */
  async #run(call: WritingCall): Promise<unknown> {
    switch (call.kind) {
      case "create":
        return this.#start(call.index, (hooks) => this.#host.create(call.path, call.schema, hooks));
      case "open":
        return this.#start(call.index, (hooks) => this.#host.open(call.path, hooks));
      case "open_to_read":
        return this.#start(call.index, (hooks) => this.#host.openToRead(call.path, hooks));
      case "add":
        return this.#add(call.index, call.documents);
      case "add_unread":
        return this.#addUnread(call.index, call.documents);
      case "delete_by_query":
        return this.#index(call.index).deleteByQuery(call.query, call.timeLimitMs);
      case "delete_by_kept_value":
        return this.#index(call.index).deleteByKeptValue(call.field, call.match, call.timeLimitMs);
      case "change":
        return changeDocuments(this.#index(call.index), call.changes, call.options);
      case "key_conflicts":
        return this.#index(call.index).keyConflicts(call.field);
      case "delete_all":
        return this.#index(call.index).deleteAll();
      case "commit":
        return this.#index(call.index).commit();
      case "rollback":
        return this.#index(call.index).rollback();
      case "hold_commit":
        return this.#holdCommit(call.index);
      case "release_commit":
        this.#hosted.get(call.index)?.holds.get(call.hold)?.();
        this.#hosted.get(call.index)?.holds.delete(call.hold);
        return null;
      case "settled":
        return this.#index(call.index).settled();
      case "close":
        return this.#close(call.index);
      case "begin_rewrite":
        this.#rewrites.set(
          call.rewrite,
          await this.#index(call.source).rewriteInto(this.#index(call.target)),
        );
        return null;
      case "catch_up":
        return this.#rewrite(call.rewrite).catchUp(() => Atomics.load(call.unwanted, 0) === 0);
      case "finish_rewrite":
        return this.#rewrite(call.rewrite).finish();
      case "close_rewrite":
        this.#rewrites.get(call.rewrite)?.close();
        this.#rewrites.delete(call.rewrite);
        return null;
      case "end_merges":
        return this.#host.endMerges();
    }
  }

  #addUnread(number: IndexNumber, documents: UnreadDocuments): Promise<DocumentsWritten> {
    const index = this.#index(number);
    this.#hosted.get(number)!.lastFields = documents.fields;
    return addUnread(index, documents);
  }

  async #holdCommit(number: IndexNumber): Promise<RemoteHold> {
    const { release, ...held } = await this.#index(number).holdCommit();
    const hold = ++this.#holdCount;
    this.#hosted.get(number)?.holds.set(hold, release);
    return { ...held, hold };
  }

  /** Null where nothing could be replaced, and whoever asked knows the ids. */
  async #add(number: IndexNumber, documents: EncodedDocuments): Promise<DocumentsReplaced | null> {
    try {
      const added = await this.#index(number).addEncoded(documents);
      return documents.replaces === undefined ? null : added;
    } finally {
      // Journal and pending documents have copies.
      releaseBuffer(documents.json.buffer);
      releaseBuffer(documents.offsets.buffer);
    }
  }

  async #start(number: IndexNumber, open: (hooks: Required<IndexHooks>) => Promise<Index>): Promise<null> {
    const hosted: Hosted = {
      index: null,
      posted: 0,
      opened: 0,
      waiting: [],
      isClosing: false,
      isWatched: false,
      lastFields: null,
      holds: new Map(),
    };
    this.#hosted.set(number, hosted);
    try {
      hosted.index = await open({
        onSearcher: (searcher) => this.#postSnapshot(number, hosted, searcher),
        beforeDeleting: () => untilOpened(hosted),
      });
      this.#postSnapshot(number, hosted, hosted.index.searcher);
      return null;
    } catch (error) {
      this.#hosted.delete(number);
      throw error;
    }
  }

  async #close(number: IndexNumber): Promise<null> {
    const hosted = this.#hosted.get(number);
    if (hosted === undefined) return null;
    hosted.isClosing = true;
    try {
      await hosted.index?.close();
    } finally {
      this.#hosted.delete(number);
    }
    return null;
  }

  #postSnapshot(number: IndexNumber, hosted: Hosted, searcher: Searcher): void {
    const snapshot = shareSnapshot(searcher);
    const commits = hosted.index?.commits ?? 0;
    this.#post({ kind: "snapshot", index: number, number: hosted.posted + 1, snapshot, commits });
    hosted.posted++;
  }

  #noteOpened(number: IndexNumber, snapshot: number): void {
    const hosted = this.#hosted.get(number);
    if (hosted === undefined) return;
    hosted.opened = Math.max(hosted.opened, snapshot);
    if (hosted.opened < hosted.posted) return;
    for (const resume of hosted.waiting.splice(0)) resume();
  }

  /** The state of the call's index; if it isn't settled, it is told again once it is. */
  #stateAfter(call: WritingCall): Answered["state"] {
    if (!("index" in call)) return null;
    const number = call.index;
    const hosted = this.#hosted.get(number);
    const index = hosted?.index ?? null;
    if (hosted === undefined || index === null || hosted.isClosing) return null;
    const state = stateOf(index);
    if (!state.isSettled && !hosted.isWatched) {
      // Merges that the call began end behind its back.
      hosted.isWatched = true;
      void index.idle().then(() => {
        hosted.isWatched = false;
        if (!hosted.isClosing) this.#post({ kind: "state", index: number, state: stateOf(index) });
      });
    }
    return { index: number, state };
  }

  #index(number: IndexNumber): Index {
    const index = this.#hosted.get(number)?.index ?? null;
    if (index === null) throw new TypeError(`index ${number} is not open`);
    return index;
  }

  #rewrite(number: number): IndexRewrite {
    const rewrite = this.#rewrites.get(number);
    if (rewrite === undefined) throw new TypeError(`rewrite ${number} has not begun`);
    return rewrite;
  }
}

function untilOpened(hosted: Hosted): Promise<void> {
  if (hosted.opened >= hosted.posted) return Promise.resolve();
  return new Promise((resolve) => hosted.waiting.push(resolve));
}

function stateOf(index: Index): IndexState {
  const { failure, hasPendingWrites, bytesOnDisk, bytesInMemory, isSettled } = index;
  return {
    failure: failure === null ? null : toPlainError(failure),
    hasPendingWrites,
    bytesOnDisk,
    bytesInMemory,
    isSettled,
  };
}
