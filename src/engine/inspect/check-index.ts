import { CorruptionError } from "../../errors/index.js";
import type { Directory } from "../directory/directory.js";
import {
  type CommitPoint,
  type CommittedSegment,
  commitPointGeneration,
  filesOfCommit,
} from "../indexer/commit-point.js";
import { decodeJournalEntry } from "../indexer/journal-entries.js";
import { readCommitPoint } from "../indexer/open-index-writer.js";
import { readJournal } from "../journal/read-journal.js";
import { checkSegment } from "../segment/check-segment.js";
import { openSegment } from "../segment/open-segment.js";

/** Something wrong with an index, and the file it was found in. */
export interface IndexProblem {
  readonly file: string;
  readonly problem: string;
}

export interface CheckReport {
  /** Empty for a sound index. */
  readonly problems: readonly IndexProblem[];
  /** Live, of the newest commit point: what was committed to the journal since comes on top. */
  readonly documents: number;
  readonly segments: number;
  /** Commits that the commit point hasn't got: opening the index puts what they changed on top. */
  readonly commitsInJournal: number;
  /** Writes acknowledged since the last commit. */
  readonly pendingWrites: number;
  /**
   * What a crash left behind and the next start deletes: files that no commit names, and what an
   * interrupted write that was never acknowledged left in the journal.
   */
  readonly leftovers: readonly string[];
}

/** Of an index that somebody writes to all the time. */
const CHECKS_MAX = 20;

/**
 * Verifies every checksum and every cross-reference of an index: commit point, segments with all
 * their structures and documents, live documents, journal. Reads only, and reads all of it. Where something is
 * wrong and a newer commit point is there by then, which may have taken files away, that one is checked instead.
 *
 * @throws FindlingError `index_not_found` if there is no index, `storage_unavailable` if it can't be read now
 */
export async function checkIndex(directory: Directory): Promise<CheckReport> {
  for (let checks = 1; ; checks++) {
    const before = (await directory.list()).filter(isCommitPoint).at(-1);
    const report = await checkNewestCommit(directory);
    if (report.problems.length === 0 || checks === CHECKS_MAX) return report;
    if ((await directory.list()).filter(isCommitPoint).at(-1) === before) return report;
  }
}

const isCommitPoint = (name: string): boolean => commitPointGeneration(name) !== null;

async function checkNewestCommit(directory: Directory): Promise<CheckReport> {
  const problems: IndexProblem[] = [];
  const commitPoint = await noting(problems, () => readCommitPoint(directory));
  if (commitPoint === null) {
    return { problems, documents: 0, segments: 0, commitsInJournal: 0, pendingWrites: 0, leftovers: [] };
  }
  let documents = 0;
  for (const segment of commitPoint.segments) {
    documents += segment.maxDoc - segment.deletedCount;
    problems.push(...(await checkSegment(directory, segment.name, commitPoint.schema, segment.liveDocsFile)));
    problems.push(...(await checkDescription(directory, commitPoint, segment)));
  }
  let entries = 0;
  let lastCommit = commitPoint.committedEntries;
  let commitsInJournal = 0;
  const leftovers: string[] = [];
  const journal = await noting(problems, () =>
    readJournal(directory, commitPoint.journal, (entry) => {
      entries++;
      if (decodeJournalEntry(commitPoint.journal, entry).kind !== "commit" || entries <= lastCommit) return;
      lastCommit = entries;
      commitsInJournal++;
    }),
  );
  if (journal !== null && entries < commitPoint.committedEntries) {
    problems.push({
      file: commitPoint.journal,
      problem: `the commit point has ${commitPoint.committedEntries} entries of it, but there are ${entries}`,
    });
  }
  if (journal !== null && journal.used > journal.end) {
    leftovers.push(`${commitPoint.journal}, bytes ${journal.end} to ${journal.used - 1}`);
  }
  const needed = filesOfCommit(commitPoint);
  leftovers.push(...(await directory.list()).filter((name) => !needed.has(name)));
  return {
    problems,
    documents,
    segments: commitPoint.segments.length,
    commitsInJournal,
    pendingWrites: Math.max(0, entries - lastCommit),
    leftovers,
  };
}

/** What the commit point says of a segment against what the segment's files say. */
async function checkDescription(
  directory: Directory,
  commitPoint: CommitPoint,
  { name, liveDocsFile, maxDoc, deletedCount, bytes }: CommittedSegment,
): Promise<IndexProblem[]> {
  // What can't be opened has been reported by `checkSegment`.
  const segment = await noting([], () => openSegment(directory, name, commitPoint.schema, liveDocsFile));
  if (segment === null) return [];
  segment.close();
  const told = `${maxDoc} documents, ${deletedCount} of them deleted, ${bytes} bytes`;
  const found = `${segment.maxDoc} documents, ${segment.maxDoc - segment.docCount} of them deleted, ${segment.bytesOnDisk} bytes`;
  return told === found
    ? []
    : [{ file: name, problem: `the commit point says ${told}, but the segment has ${found}` }];
}

async function noting<T>(problems: IndexProblem[], work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CorruptionError)) throw error;
    problems.push({ file: error.file, problem: error.message });
    return null;
  }
}
