import type { Directory } from "../directory/directory.js";
import type { EngineSchema } from "../schema/engine-schema.js";
import { encodeLiveDocs } from "../segment/live-docs.js";
import { type OpenSegment, openSegment, segmentFileNames } from "../segment/open-segment.js";
import type { DocBits } from "../segment/segment-reader.js";
import { type CommittedSegment, hexadecimal } from "./commit-point.js";
import type { MergePolicy } from "./merge-policy.js";
import { allLive, WriterSegment } from "./writer-segment.js";

/** A merge to run: which segments with which live documents go into which new one. */
export interface MergePlan {
  readonly inputs: readonly { readonly segment: WriterSegment; readonly liveDocs: DocBits | null }[];
  readonly output: string;
  readonly outputFiles: readonly string[];
}

/** The next merge of committed segments, or null. The plan stands for the segments as they are now. */
export function planMerge(
  policy: MergePolicy,
  committed: readonly WriterSegment[],
  reserveName: () => string,
): MergePlan | null {
  const range = policy.nextMerge(
    committed.map(({ reader, bytes }) => ({
      liveBytes: (bytes * reader.docCount) / reader.maxDoc,
      maxDoc: reader.maxDoc,
      deletedCount: reader.maxDoc - reader.docCount,
    })),
  );
  if (range === null) return null;
  const output = reserveName();
  return {
    inputs: committed
      .slice(range.start, range.end)
      .map((segment) => ({ segment, liveDocs: segment.reader.liveDocs })),
    output,
    outputFiles: segmentFileNames(output),
  };
}

export interface InstalledMerge {
  readonly segment: WriterSegment;
  readonly description: CommittedSegment;
  readonly writtenFiles: readonly string[];
}

/**
 * Opens the merged segment and gives it the deletes that came after the plan: committed ones in a
 * live-docs file, pending ones as pending. Merging keeps the order of live documents, so the n-th
 * live document of the inputs is document n of the merged segment. Null if nothing is left alive in
 * the committed state. On a failure nothing is open, and no file is there that wasn't before.
 */
export async function installMergedSegment(
  directory: Directory,
  schema: EngineSchema,
  plan: MergePlan,
  generation: number,
): Promise<InstalledMerge | null> {
  const committedDeletes: number[] = [];
  const pendingDeletes: number[] = [];
  let docId = 0;
  for (const { segment, liveDocs } of plan.inputs) {
    const committedNow = segment.reader.liveDocs;
    for (let old = 0; old < segment.maxDoc; old++) {
      if (!isSet(liveDocs, old)) continue;
      if (!isSet(committedNow, old)) committedDeletes.push(docId);
      else if (!segment.isLive(old)) pendingDeletes.push(docId);
      docId++;
    }
  }
  const maxDoc = docId;
  if (committedDeletes.length === maxDoc) return null;
  let liveDocsFile: string | null = null;
  if (committedDeletes.length > 0) {
    const live = allLive(maxDoc);
    for (const deleted of committedDeletes) live[deleted >>> 5]! &= ~(1 << (deleted & 31));
    liveDocsFile = `${plan.output}.live-${hexadecimal(generation)}`;
    await directory.write(liveDocsFile, [encodeLiveDocs(live, maxDoc)]);
  }
  let reader: OpenSegment;
  try {
    reader = await openSegment(directory, plan.output, schema, liveDocsFile);
  } catch (error) {
    if (liveDocsFile !== null) await directory.delete(liveDocsFile).catch(() => undefined);
    throw error;
  }
  const bytes = reader.bytesOnDisk;
  const segment = new WriterSegment(reader, "committed", bytes, liveDocsFile);
  for (const deleted of pendingDeletes) segment.delete(deleted);
  return {
    segment,
    description: { name: plan.output, maxDoc, deletedCount: committedDeletes.length, liveDocsFile, bytes },
    writtenFiles: liveDocsFile === null ? [] : [liveDocsFile],
  };
}

function isSet(bits: DocBits | null, docId: number): boolean {
  return bits === null || (bits[docId >>> 5]! & (1 << (docId & 31))) !== 0;
}
