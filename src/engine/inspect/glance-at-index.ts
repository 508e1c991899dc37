import { CorruptionError } from "../../errors/index.js";
import type { Directory } from "../directory/directory.js";
import { filesOfCommit } from "../indexer/commit-point.js";
import { COMMIT_RECORD } from "../indexer/journal-entries.js";
import { readCommitPoint } from "../indexer/open-index-writer.js";
import { EMPTY_JOURNAL_LENGTH } from "../journal/journal.js";
import { kindsInJournal } from "../journal/read-journal.js";

/** What can be told of an index that isn't open. */
export interface IndexGlance {
  /** Committed documents. */
  readonly documentCount: number;
  /** Bytes of the committed segments and of the journal file. */
  readonly bytesOnDisk: number;
  /** False only if no write waits for a commit. */
  readonly mayHavePendingWrites: boolean;
  /** Whether the journal has commits that the commit point hasn't: opening the index shows what they made of it. */
  readonly hasCommitsInJournal: boolean;
}

/**
 * Reads an index's commit point and no more of its journal than what kinds of writes are in it, and looks whether the files are there that it names.
 *
 * @throws CorruptionError naming the file; FindlingError `index_not_found`, `storage_unavailable`
 */
export async function glanceAtIndex(directory: Directory): Promise<IndexGlance> {
  const commitPoint = await readCommitPoint(directory);
  const present = new Set(await directory.list());
  for (const name of filesOfCommit(commitPoint)) {
    if (!present.has(name)) throw new CorruptionError(`${directory.description}/${name}`, "it is missing");
  }
  const journal = await directory.open(commitPoint.journal);
  const journalLength = journal.size;
  journal.close();
  const { segments, committedEntries } = commitPoint;
  // The first entry makes the file longer.
  const kinds =
    journalLength > EMPTY_JOURNAL_LENGTH ? await kindsInJournal(directory, commitPoint.journal) : [];
  const lastCommit = kinds.lastIndexOf(COMMIT_RECORD.kind) + 1;
  return {
    documentCount: segments.reduce((sum, { maxDoc, deletedCount }) => sum + maxDoc - deletedCount, 0),
    bytesOnDisk: segments.reduce((sum, { bytes }) => sum + bytes, journalLength),
    mayHavePendingWrites: kinds.length > Math.max(lastCommit, committedEntries),
    hasCommitsInJournal: lastCommit > committedEntries,
  };
}
