import { CorruptionError, FindlingError } from "../../errors/index.js";
import { type FileOwner, newOwner, requireOwner } from "../bytes/file-owner.js";
import type { Directory } from "../directory/directory.js";
import { EMPTY_JOURNAL_LENGTH, Journal } from "../journal/journal.js";
import type { JournalEntry } from "../journal/read-journal.js";
import type { EngineSchema } from "../schema/engine-schema.js";
import { openSegment } from "../segment/open-segment.js";
import {
  type CommitPoint,
  commitPointGeneration,
  commitPointName,
  decodeCommitPoint,
  encodeCommitPoint,
  filesOfCommit,
  journalName,
} from "./commit-point.js";
import { IndexWriter, type IndexWriterOptions } from "./index-writer.js";
import { COMMIT_RECORD, decodeJournalEntry } from "./journal-entries.js";
import { WriterSegment } from "./writer-segment.js";

/** Makes an empty index. @throws FindlingError `index_exists` if the folder holds one */
export async function createIndexWriter(
  options: IndexWriterOptions,
  schema: EngineSchema,
): Promise<IndexWriter> {
  const { directory, owner } = options;
  const names = await directory.list();
  if (names.some((name) => commitPointGeneration(name) !== null)) {
    throw new FindlingError(
      "index_exists",
      `${directory.description} already holds an index; open it instead`,
    );
  }
  await deleteBegun(directory, names.filter(isIndexFile));
  const journal = await Journal.create(directory, journalName(1));
  const commitPoint: CommitPoint = {
    owner: owner ?? newOwner(),
    generation: 1,
    journal: journalName(1),
    journalSalt: journal.salt,
    committedEntries: 0,
    nextSegment: 1,
    segments: [],
    schema,
  };
  try {
    await directory.publish(commitPointName(1), encodeCommitPoint(commitPoint));
    return new IndexWriter(options, commitPoint, [], journal);
  } catch (error) {
    await journal.close().catch(() => undefined);
    throw error;
  }
}

/**
 * Opens an index as the last commit left it, and makes the writes acknowledged since pending again. What was
 * committed to the journal only is made anew from there. Files that no commit point names, left over from a crash,
 * are deleted.
 *
 * @throws CorruptionError naming the file, also if it belongs to another index or segment; FindlingError
 *   `index_not_found` if there is no index
 */
export async function openIndexWriter(options: IndexWriterOptions): Promise<IndexWriter> {
  const { directory, owner, barrier } = options;
  const newest = await readCommitPoint(directory, owner);
  await directory.deleteUnfinished();
  const commitPoint = {
    ...newest,
    owner: newest.owner ?? owner ?? newOwner(),
    nextSegment: await freeSegment(directory, newest),
  };
  const segments = await openCommittedSegments(directory, commitPoint);
  const { committedEntries } = commitPoint;
  const journalPath = `${directory.description}/${commitPoint.journal}`;
  let journal: Journal;
  let entries = 0;
  let lastCommit = 0;
  try {
    const look = ({ kind }: JournalEntry): void => {
      entries++;
      if (kind === COMMIT_RECORD.kind) lastCommit = entries;
    };
    journal = await Journal.open(directory, commitPoint.journal, look, commitPoint.journalSalt);
  } catch (error) {
    for (const segment of segments) segment.reader.close();
    throw error;
  }
  const writer = new IndexWriter(options, commitPoint, segments, journal);
  try {
    if (entries < committedEntries) {
      const problem = `it has ${entries} entries of ${committedEntries} committed ones`;
      throw new CorruptionError(journalPath, problem);
    }
    // Only now: where a file is missing or another index's that the commit point names, others may be all
    // that is left of its documents.
    await deleteLeftovers(directory, commitPoint);
    let number = 0;
    await journal.replay(async (record) => {
      if (++number <= committedEntries) return;
      const entry = decodeJournalEntry(journalPath, record);
      // What came before the last commit is committed all at once.
      if (entry.kind !== "commit") await barrier(() => writer.recover(entry));
      else if (number === lastCommit) await barrier(() => writer.recoverCommit(number));
    });
    return writer;
  } catch (error) {
    await barrier(() => writer.close()).catch(() => undefined);
    throw error;
  }
}

/** Opens the segments that a commit point names. */
async function openCommittedSegments(
  directory: Directory,
  commitPoint: CommitPoint,
): Promise<WriterSegment[]> {
  const segments: WriterSegment[] = [];
  try {
    for (const committed of commitPoint.segments) {
      const { name, liveDocsFile, bytes } = committed;
      const reader = await openSegment(directory, name, commitPoint.schema, liveDocsFile, { committed });
      segments.push(new WriterSegment(reader, "committed", bytes, liveDocsFile));
    }
    return segments;
  } catch (error) {
    for (const segment of segments) segment.reader.close();
    throw error;
  }
}

/**
 * The newest commit point. Reads only.
 *
 * @param owner the index that it must belong to, where it says so; default: any
 * @throws CorruptionError naming the file; FindlingError `index_not_found` if there is no index
 */
export async function readCommitPoint(directory: Directory, owner?: FileOwner): Promise<CommitPoint> {
  const names = await directory.list();
  const generations = names.map(commitPointGeneration).filter((generation) => generation !== null);
  if (generations.length === 0) {
    if (names.some(isIndexFile)) throw noCommitPoint(directory);
    throw new FindlingError("index_not_found", `${directory.description} holds no index; create one first`);
  }
  const name = commitPointName(Math.max(...generations));
  const commitPoint = decodeCommitPoint(`${directory.description}/${name}`, await directory.read(name));
  if (commitPointName(commitPoint.generation) !== name) {
    throw new CorruptionError(
      `${directory.description}/${name}`,
      `it says that it is generation ${commitPoint.generation}`,
    );
  }
  if (owner !== undefined && commitPoint.owner !== null)
    requireOwner(`${directory.description}/${name}`, "index", commitPoint.owner, owner);
  return commitPoint;
}

async function deleteLeftovers(directory: Directory, commitPoint: CommitPoint): Promise<void> {
  const needed = filesOfCommit(commitPoint);
  for (const name of await directory.list()) {
    if (isIndexFile(name) && !needed.has(name)) await directory.delete(name);
  }
}

/** A number behind all that segments have or had: other threads may still know one that wasn't committed. */
async function freeSegment(directory: Directory, { nextSegment }: CommitPoint): Promise<number> {
  let free = nextSegment;
  for (const name of await directory.list()) {
    const [, digits] = /^s([0-9a-f]{8})\./.exec(name) ?? [];
    if (digits !== undefined) free = Math.max(free, Number.parseInt(digits, 16) + 1);
  }
  return free;
}

/** Deletes what a creation has left that never came to its end. @throws CorruptionError if there is more than that */
async function deleteBegun(directory: Directory, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const journal = await directory.open(name);
    journal.close();
    if (name !== journalName(1) || journal.size > EMPTY_JOURNAL_LENGTH) throw noCommitPoint(directory);
  }
  for (const name of names) await directory.delete(name);
}

function noCommitPoint(directory: Directory): CorruptionError {
  const file = `${directory.description}/${commitPointName(1)}`;
  return new CorruptionError(file, "no commit point is there, though other files of an index are");
}

/** Whether a name is one that the writer gives; other people's files are left alone. */
export function isIndexFile(name: string): boolean {
  return /^(commit-[0-9a-f]{8}|journal-[0-9a-f]{8}|s[0-9a-f]{8}\.(idx|doc|live-[0-9a-f]{8}))$/.test(name);
}
