import type { NewFiles } from "../directory/directory.js";
import { encodeLiveDocs } from "../segment/live-docs.js";
import { segmentFileNames } from "../segment/open-segment.js";
import type { DocBits } from "../segment/segment-reader.js";
import { type CommittedSegment, hexadecimal } from "./commit-point.js";
import type { WriterSegment } from "./writer-segment.js";

/** A segment as a commit point is going to name it. */
export interface DescribedSegment {
  readonly segment: WriterSegment;
  readonly description: CommittedSegment;
  /** What the commit point makes of its documents. */
  readonly live: DocBits | null;
  /** Content of the file with them, where it has yet to be written; null else. */
  readonly newLiveDocs: Uint8Array | null;
}

/**
 * Describes segments as they are at the moment, all at once.
 *
 * @param withPending as they are with pending deletes, or else as searches see them
 * @param generation of the commit point
 */
export function describeSegments(
  segments: readonly WriterSegment[],
  withPending: boolean,
  generation: number,
): DescribedSegment[] {
  return segments.map((segment) => {
    const { name, maxDoc, bytes, reader } = segment;
    const live = withPending ? segment.live : reader.liveDocs;
    const docCount = withPending ? segment.docCount : reader.docCount;
    const isNew = segment.hasUnwrittenDeletes || (withPending && segment.hasPendingDeletes);
    const liveDocsFile = isNew ? `${name}.live-${hexadecimal(generation)}` : segment.liveDocsFile;
    return {
      segment,
      description: {
        name,
        owner: reader.owner,
        isBound: reader.isBound,
        maxDoc,
        deletedCount: maxDoc - docCount,
        liveDocsFile,
        bytes,
      },
      live,
      newLiveDocs: isNew ? encodeLiveDocs(live!, maxDoc, reader.owner) : null,
    };
  });
}

export async function writeLiveDocs(files: NewFiles, described: readonly DescribedSegment[]): Promise<void> {
  for (const { description, newLiveDocs } of described) {
    if (newLiveDocs !== null) await files.write(description.liveDocsFile!, [newLiveDocs]);
  }
}

/** Files of those that a power loss could still take. */
export function unsyncedFilesOf(described: readonly DescribedSegment[]): string[] {
  return described.flatMap(({ segment }) => (segment.isDurable ? [] : segmentFileNames(segment.name)));
}
