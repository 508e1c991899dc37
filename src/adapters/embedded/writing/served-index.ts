import type {
  CanonicalDocument,
  DocumentId,
  DocumentsReplaced,
  EngineSchema,
  HeldCommit,
  HeldSearcher,
  KeptValueMatch,
  KeyConflicts,
  Query,
  Searcher,
} from "../../../engine/server-door.js";
import type { FindlingError } from "../../../errors/index.js";
import type { UnreadDocuments } from "../../../intake/read-documents.js";
import type { ChangeOptions, DocumentChange, DocumentsChanged } from "../../../ports/document-change.js";
import type { DocumentsWritten } from "../../../ports/search-backend.js";

/**
 * An open index as the server uses it: reads here, writes wherever its host runs them. The members are
 * those of the engine's `Index`, which is one, and mean the same.
 */
export interface ServedIndex {
  /** For use before the next `await`. */
  readonly searcher: Searcher;
  holdSearcher(): HeldSearcher;
  document(documentId: DocumentId): string | null;

  add(documents: readonly CanonicalDocument[]): Promise<readonly DocumentId[]>;
  replace(key: string, documents: readonly CanonicalDocument[]): Promise<DocumentsReplaced>;
  keyConflicts(field: string): Promise<KeyConflicts>;
  deleteByQuery(query: Query, timeLimitMs?: number): Promise<number>;
  deleteByKeptValue(field: string, match: KeptValueMatch, timeLimitMs?: number): Promise<number>;
  deleteAll(): Promise<number>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
  holdCommit(): Promise<HeldCommit>;

  /** Why it takes no writes until it is opened again; null while all is well. */
  readonly failure: FindlingError | null;
  readonly hasPendingWrites: boolean;
  /** Commits since it was opened that searches see, of those that changed anything. */
  readonly commits: number;
  /** Committed documents. */
  readonly documentCount: number;
  readonly bytesOnDisk: number;
  /** Images of the committed segments; documents are read as needed. */
  readonly bytesInMemory: number;
  /** Whether nothing is under way: no write, no merge, no rewrite. */
  readonly isSettled: boolean;
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** Copies one index into another, whose analysis differs, while the first goes on (the engine's `IndexRewrite`). */
export interface IndexCopying {
  /** @param isWanted asked every few milliseconds */
  catchUp(isWanted: () => boolean): Promise<void>;
  finish(): Promise<void>;
  /** Lets go of the original. */
  close(): void;
}

/** Where the indexes of a server run: in this thread, or in another. Folders are locked by the caller. */
export interface IndexHost {
  /** @throws FindlingError `index_exists`, `storage_unavailable` */
  create(path: string, schema: EngineSchema): Promise<ServedIndex>;
  /** @throws CorruptionError; FindlingError `index_not_found`, `storage_unavailable` */
  open(path: string): Promise<ServedIndex>;
  /** As `open`, of a `ReadingCopy`: to be read only, and never merged. */
  openToRead(path: string): Promise<ServedIndex>;
  /** Changes documents of an index of this host, in the thread that writes it (`SearchBackend.change`). */
  change(
    index: ServedIndex,
    changes: readonly DocumentChange[],
    options: ChangeOptions,
  ): Promise<DocumentsChanged>;
  /** Adds documents to an index of this host, in the thread that writes it (`SearchBackend.addUnread`). */
  addUnread(index: ServedIndex, documents: UnreadDocuments): Promise<DocumentsWritten>;
  /** Both are this host's. */
  rewrite(source: ServedIndex, target: ServedIndex): Promise<IndexCopying>;
  /** Ends merges that are under way, and begins none from now on. */
  endMerges(): Promise<void>;
  /** After all indexes have been closed. */
  stop(): Promise<void>;
}

export interface IndexHostOptions {
  /** Memory that the pending documents of all indexes take together. */
  readonly pendingBytesMax: number;
  /** Told of what goes wrong behind the back of whoever writes. */
  readonly onProblem: (message: string, error: unknown) => void;
  /** Told of each state that another thread has written to the index of a folder, as soon as it is seen. */
  readonly onNewest?: (path: string, searcher: Searcher) => void;
}

/** Writes to one index that may wait at a time; what they bring is in memory meanwhile. */
export const WAITING_WRITES_MAX = 1000;
