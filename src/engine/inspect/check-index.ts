import { CorruptionError } from "../../errors/index.js";
import type { FileOwner } from "../bytes/file-owner.js";
import type { Directory } from "../directory/directory.js";
import {
  type CommitPoint,
  type CommittedSegment,
  commitPointGeneration,
  commitPointName,
  filesOfCommit,
} from "../indexer/commit-point.js";
import { decodeJournalEntry } from "../indexer/journal-entries.js";
import { isIndexFile, readCommitPoint } from "../indexer/open-index-writer.js";
import { type JournalEntry, readJournal } from "../journal/read-journal.js";
import { checkSegment } from "../segment/check/check-segment.js";
import { saysItsSegment } from "../segment/live-docs.js";
import { openSegment, segmentFileNames } from "../segment/open-segment.js";

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
  /**
   * Files written before files said which segment or index they belong to: were one of them in another's place, it might
   * not show. They are bound when they are next written.
   */
  readonly unbound: readonly string[];
}

/** An index that somebody writes to all the time is looked at so often. */
const CHECKS_MAX = 20;

/**
 * Verifies every checksum and every cross-reference of an index: commit point, segments with all
 * their structures and documents, live documents, journal. Reads only, and reads all of it. Where something is
 * wrong and a newer commit point is there by then, which may have taken files away, that one is checked instead.
 *
 * @param owner the index that it should be; default: any
 * @throws FindlingError `index_not_found` if there is no index, `storage_unavailable` if it can't be read now
 */
export async function checkIndex(directory: Directory, owner?: FileOwner): Promise<CheckReport> {
  for (let checks = 1; ; checks++) {
    const before = (await directory.list()).filter(isCommitPoint).at(-1);
    const report = await checkNewestCommit(directory, owner);
    if (report.problems.length === 0 || checks === CHECKS_MAX) return report;
    if ((await directory.list()).filter(isCommitPoint).at(-1) === before) return report;
  }
}

const isCommitPoint = (name: string): boolean => commitPointGeneration(name) !== null;

async function checkNewestCommit(directory: Directory, owner?: FileOwner): Promise<CheckReport> {
  const problems: IndexProblem[] = [];
  const commitPoint = await noting(problems, () => readCommitPoint(directory, owner));
  if (commitPoint === null) {
    return {
      problems,
      documents: 0,
      segments: 0,
      commitsInJournal: 0,
      pendingWrites: 0,
      leftovers: [],
      unbound: [],
    };
  }
  let documents = 0;
  for (const segment of commitPoint.segments) {
    documents += segment.maxDoc - segment.deletedCount;
    problems.push(
      ...(await checkSegment(directory, segment.name, commitPoint.schema, segment.liveDocsFile, segment)),
    );
    problems.push(...(await checkDescription(directory, commitPoint, segment)));
  }
  let entries = 0;
  let lastCommit = commitPoint.committedEntries;
  let commitsInJournal = 0;
  const leftovers: string[] = [];
  const see = (entry: JournalEntry): void => {
    entries++;
    if (decodeJournalEntry(commitPoint.journal, entry).kind !== "commit" || entries <= lastCommit) return;
    lastCommit = entries;
    commitsInJournal++;
  };
  const journal = await noting(problems, () =>
    readJournal(directory, commitPoint.journal, see, commitPoint.journalSalt),
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
  leftovers.push(...(await directory.list()).filter((name) => isIndexFile(name) && !needed.has(name)));
  return {
    problems,
    documents,
    segments: commitPoint.segments.length,
    commitsInJournal,
    pendingWrites: Math.max(0, entries - lastCommit),
    leftovers,
    unbound: await unboundFiles(directory, commitPoint),
  };
}

async function unboundFiles(directory: Directory, commitPoint: CommitPoint): Promise<string[]> {
  const files: string[] = [];
  if (commitPoint.owner === null) files.push(commitPointName(commitPoint.generation));
  if (commitPoint.journalSalt === null) files.push(commitPoint.journal);
  for (const { name, isBound, liveDocsFile } of commitPoint.segments) {
    if (isBound) continue;
    files.push(...segmentFileNames(name));
    if (liveDocsFile === null) continue;
    // One that can't be read has been reported.
    const isBoundToo = await noting([], async () =>
      saysItsSegment(await directory.read(liveDocsFile), liveDocsFile),
    );
    if (isBoundToo === false) files.push(liveDocsFile);
  }
  return files;
}

/** What the commit point says of a segment against what the segment's files say. */
async function checkDescription(
  directory: Directory,
  commitPoint: CommitPoint,
  committed: CommittedSegment,
): Promise<IndexProblem[]> {
  const { name, liveDocsFile, maxDoc, deletedCount, bytes } = committed;
  // What can't be opened has been reported by `checkSegment`.
  const segment = await noting([], () =>
    openSegment(directory, name, commitPoint.schema, liveDocsFile, { committed }),
  );
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
