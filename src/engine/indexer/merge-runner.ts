import type { Directory } from "../directory/directory.js";
import { FileBatch } from "../directory/file-batch.js";
import type { EngineSchema } from "../schema/engine-schema.js";
import { type OpenSegment, openSegment, openSharedSegment } from "../segment/open-segment.js";
import type { SharedSegment } from "../segment/shared-segment.js";
import { runInSlices } from "../segment/sliced-work.js";
import { makeWantedTries } from "../segment/wanted-tries.js";
import { isMergeDurable } from "./merge-plan.js";
import { mergeSegments } from "./segment-merger.js";

/**
 * Runs a merge somewhere in this process: inputs are immutable, the output is new files of the given name,
 * and the segment opened from them, so that nobody else has to read and check it.
 */
export type MergeRunner = (task: MergeTask) => Promise<SharedSegment>;

/** What a merge needs; plain data, so that it can travel to a worker thread, and large data is shared. */
export interface MergeTask {
  readonly schema: EngineSchema;
  readonly inputs: readonly SharedSegment[];
  /** What the inputs take on disk. */
  readonly bytes: number;
  readonly output: string;
}

/**
 * Runs a merge task over a directory: in this thread, or in a worker that opened the folder itself. Of the
 * inputs it reads documents only; beside what they share it takes memory for the new segment, as its file
 * and, after that, as it is searched. A small segment's files aren't synced (`isMergeDurable`).
 *
 * @param beforeSlice may throw, and end the merge with it
 */
export async function runMerge(
  directory: Directory,
  task: MergeTask,
  beforeSlice?: () => void,
): Promise<SharedSegment> {
  const { schema, inputs, output } = task;
  const batch = isMergeDurable(task.bytes) ? null : new FileBatch(directory);
  const files = batch ?? directory;
  const readers: OpenSegment[] = [];
  let merged: OpenSegment;
  try {
    for (const input of inputs) readers.push(await openSharedSegment(directory, schema, input, null));
    await mergeSegments(files, schema, readers, output, beforeSlice);
    await batch?.finishUnsynced();
    merged = await openSegment(files, output, schema, null);
    await runInSlices(makeWantedTries(merged, readers));
  } finally {
    for (const reader of readers) reader.close();
  }
  merged.close();
  return merged.share();
}
