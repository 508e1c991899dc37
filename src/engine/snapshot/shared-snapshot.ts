import type { EngineSchema } from "../schema/engine-schema.js";
import type { Searcher } from "../search/searcher.js";
import { OpenSegment } from "../segment/open-segment.js";
import type { SharedSegment } from "../segment/shared-segment.js";

/**
 * One committed state of an index as plain data: posted to another thread, a `SnapshotFollower` there
 * makes a searcher of it that answers as the one it was made from. Few bytes travel, since what is
 * large is shared memory.
 *
 * It holds nothing open. The receiver opens each segment's document store by name, and so must do it
 * before the files are deleted: the sender either keeps them until it hears back (a writer), or sends
 * its newest snapshot again if opening fails (`CorruptionError`), since then there is a newer one (a
 * reader). What has been opened stays readable, whatever becomes of the files and of the sender.
 */
export interface SharedSnapshot {
  readonly schema: EngineSchema;
  readonly segments: readonly SharedSegment[];
}

/** Costs a copy of live documents that haven't been shared before, 125 KB per million documents. */
export function shareSnapshot({ schema, segments }: Pick<Searcher, "schema" | "segments">): SharedSnapshot {
  return {
    schema,
    segments: segments.map((segment) => {
      if (!(segment instanceof OpenSegment))
        throw new TypeError(`segment '${segment.name}' is not of a file`);
      return segment.share();
    }),
  };
}
