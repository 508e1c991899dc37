import { CorruptionError } from "../../errors/index.js";
import type { FileOwner } from "../bytes/file-owner.js";
import type { Directory, FileChunks } from "../directory/directory.js";
import { Journal } from "../journal/journal.js";
import { segmentFileNames } from "../segment/segment-files.js";
import {
  type CommitPoint,
  commitPointName,
  decodeCommitPoint,
  encodeCommitPoint,
  journalName,
} from "./commit-point.js";

/** A file of a segment that a commit needs. */
export interface CommittedFile {
  readonly name: string;
  /**
   * Names the content for ever, in this index and in every copy of it: what is written once, for a segment that has an
   * owner. Null where another copy may have other bytes under the name (live documents, files of earlier versions).
   */
  readonly identity: string | null;
}

/** The files of one commit, which stay as they are until they are let go of. */
export interface HeldCommit {
  /** What makes an index of the files again (`installCommit`), in a few bytes a segment. */
  readonly commit: string;
  readonly files: readonly CommittedFile[];
  /** Calling it again does nothing. */
  release(): void;
}

/** All files that a commit point names, but itself and the journal. */
export function segmentFilesOf({ segments }: CommitPoint): readonly CommittedFile[] {
  return segments.flatMap(({ name: segment, owner, isBound, liveDocsFile }) => {
    const written = segmentFileNames(segment).map((name) => ({
      name,
      identity: isBound && owner !== null ? `${owner}/${name}` : null,
    }));
    return liveDocsFile === null ? written : [...written, { name: liveDocsFile, identity: null }];
  });
}

export function filesNamed(files: readonly CommittedFile[]): readonly string[] {
  return files.map(({ name }) => name);
}

/** A commit point as text with its checksum. The journal that it names is left behind with the index. */
export function encodeDetached(commitPoint: CommitPoint): string {
  return new TextDecoder().decode(encodeCommitPoint({ ...commitPoint, committedEntries: 0 }));
}

/** What a commit consists of, before any of it is written. */
export interface DetachedCommit {
  readonly documentCount: number;
  /** Names that are safe as those of files in a folder. */
  readonly files: readonly string[];
}

/**
 * Reads what `Index.holdCommit` has given.
 *
 * @param source where it comes from, for messages
 * @throws CorruptionError if any byte isn't as it was written, or its version isn't known
 */
export function readDetachedCommit(source: string, commit: string): DetachedCommit {
  const commitPoint = decode(source, commit);
  return {
    documentCount: commitPoint.segments.reduce(
      (count, { maxDoc, deletedCount }) => count + maxDoc - deletedCount,
      0,
    ),
    files: filesNamed(segmentFilesOf(commitPoint)),
  };
}

/**
 * Makes an index of a commit's files in an empty directory, durably: it is one once this resolves. The segments keep
 * their owners, which their files say; the index gets its own, and an empty journal.
 *
 * @param open gives a file's bytes
 * @throws as `readDetachedCommit`, and whatever `open` and its bytes throw
 */
export async function installCommit(
  directory: Directory,
  owner: FileOwner,
  { source, commit, open }: { source: string; commit: string; open: (name: string) => FileChunks },
): Promise<void> {
  const detached = decode(source, commit);
  for (const name of filesNamed(segmentFilesOf(detached))) await directory.write(name, open(name));
  const journal = await Journal.create(directory, journalName(1));
  await journal.close();
  // One more than live documents are named by: the next one's are new names.
  const generation = detached.generation + 1;
  const commitPoint: CommitPoint = {
    ...detached,
    owner,
    generation,
    journal: journalName(1),
    journalSalt: journal.salt,
    committedEntries: 0,
  };
  await directory.publish(commitPointName(generation), encodeCommitPoint(commitPoint));
}

function decode(source: string, commit: string): CommitPoint {
  const commitPoint = decodeCommitPoint(source, new TextEncoder().encode(commit));
  for (const name of filesNamed(segmentFilesOf(commitPoint))) {
    // The checksum keeps out accidents only.
    if (!/^s[0-9a-f]{8}\.(idx|doc|live-[0-9a-f]{8})$/.test(name))
      throw new CorruptionError(source, `it names '${name}', which is no file of a segment`);
  }
  return commitPoint;
}
