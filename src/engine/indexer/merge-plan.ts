import type { DocId } from "../schema/document.js";
import { type OpenSegment, segmentFileNames } from "../segment/open-segment.js";
import type { DocBits } from "../segment/segment-reader.js";
import type { MergePolicy } from "./merge-policy.js";
import { allLive, WriterSegment } from "./writer-segment.js";

/** A merge to run: which segments with which live documents go into which new one. */
export interface MergePlan {
  readonly inputs: readonly { readonly segment: WriterSegment; readonly view: OpenSegment }[];
  /** What the inputs take on disk, prorated to live documents. */
  readonly bytes: number;
  readonly output: string;
  readonly outputFiles: readonly string[];
}

/**
 * Merges of fewer bytes leave it to the next commit point to sync what they have written: most of them are merged again
 * before there is one, and syncs make whoever commits wait. An object so that tests can change it.
 */
export const durableMerge: { bytesMin: number } = { bytesMin: 1 << 20 };
/** Merges under way at a time, of one index or of all that share a thread. */
export const MERGES_MAX = 3;
/** How many times larger than another one a merge must be to run beside it. */
const SIZE_RATIO_MIN = 4;

/** Whether files that a merge of so many bytes has written outlive a power loss before a commit point names them. */
export function isMergeDurable(bytes: number): boolean {
  return bytes >= durableMerge.bytesMin;
}

/**
 * Whether a merge may begin beside others: where all are of different sizes, small ones end soon, and take
 * next to nothing beside the largest. Two like ones would only hold twice the memory for twice the time.
 */
export function mayRunBeside(bytes: number, others: readonly { readonly bytes: number }[]): boolean {
  if (others.length >= MERGES_MAX) return false;
  return others.every(
    (other) => Math.max(bytes, other.bytes) >= SIZE_RATIO_MIN * Math.min(bytes, other.bytes),
  );
}

/**
 * The next merge of committed segments beside those that are under way, or null. The plan stands for the
 * segments as they are now.
 *
 * @param imageBytesMax what the merged segment may take in memory
 */
export function planMerge(
  policy: MergePolicy,
  committed: readonly WriterSegment[],
  underWay: readonly MergePlan[],
  imageBytesMax: number,
  reserveName: () => string,
): MergePlan | null {
  for (const free of freeRuns(committed, underWay)) {
    const range = policy.nextMerge(
      free.map((segment) => ({
        liveBytes: liveBytesOf(segment),
        imageBytes: (segment.reader.bytesInMemory * segment.reader.docCount) / segment.maxDoc,
        maxDoc: segment.maxDoc,
        deletedCount: segment.maxDoc - segment.reader.docCount,
      })),
      imageBytesMax,
    );
    if (range === null) continue;
    const segments = free.slice(range.start, range.end);
    const bytes = segments.reduce((sum, segment) => sum + liveBytesOf(segment), 0);
    if (!mayRunBeside(bytes, underWay)) continue;
    const output = reserveName();
    return {
      inputs: segments.map((segment) => ({ segment, view: segment.reader })),
      bytes,
      output,
      outputFiles: segmentFileNames(output),
    };
  }
  return null;
}

/** Neighbours that no merge has, the newest first: they tend to be the smallest. */
function freeRuns(committed: readonly WriterSegment[], underWay: readonly MergePlan[]): WriterSegment[][] {
  const taken = new Set(underWay.flatMap(({ inputs }) => inputs.map(({ segment }) => segment)));
  const runs: WriterSegment[][] = [[]];
  for (const segment of committed) {
    if (taken.has(segment)) runs.unshift([]);
    else runs[0]!.push(segment);
  }
  return runs.filter((run) => run.length > 0);
}

function liveBytesOf({ bytes, reader }: WriterSegment): number {
  return (bytes * reader.docCount) / reader.maxDoc;
}

/**
 * Gives the merged segment the deletes that came after the plan: committed ones, which the next commit point
 * has to write, and pending ones as pending. Merging keeps the order of live documents, so the n-th live document of the
 * inputs is document n of the merged segment. Null if nothing is left alive in the committed state.
 * Costs O(documents) of those inputs only that had such deletes.
 */
export function mergedWriterSegment(plan: MergePlan, merged: OpenSegment): WriterSegment | null {
  const { maxDoc } = merged;
  const { committed, pending } = deletesSince(plan);
  if (committed.length === maxDoc) return null;
  let reader = merged;
  if (committed.length > 0) {
    const live = allLive(maxDoc);
    for (const deleted of committed) live[deleted >>> 5]! &= ~(1 << (deleted & 31));
    reader = merged.withLiveDocs(live);
  }
  const segment = new WriterSegment(
    reader,
    "committed",
    reader.bytesOnDisk,
    null,
    isMergeDurable(plan.bytes),
  );
  segment.hasUnwrittenDeletes = committed.length > 0;
  for (const deleted of pending) segment.delete(deleted);
  return segment;
}

/** Documents of the merged segment that have been deleted since the plan, as of the last commit and since. */
function deletesSince(plan: MergePlan): { committed: DocId[]; pending: DocId[] } {
  const deletes = { committed: [] as DocId[], pending: [] as DocId[] };
  let docId = 0;
  for (const { segment, view } of plan.inputs) {
    const { liveDocs: planned } = view;
    const { liveDocs: committed } = segment.reader;
    if (segment.reader === view && !segment.hasPendingDeletes) {
      docId += view.docCount;
      continue;
    }
    for (let old = 0; old < segment.maxDoc; old++) {
      if (!isSet(planned, old)) continue;
      if (!isSet(committed, old)) deletes.committed.push(docId);
      else if (!segment.isLive(old)) deletes.pending.push(docId);
      docId++;
    }
  }
  return deletes;
}

function isSet(bits: DocBits | null, docId: DocId): boolean {
  return bits === null || (bits[docId >>> 5]! & (1 << (docId & 31))) !== 0;
}
