import type { OpenSegment } from "./open-segment.js";
import type { SlicedWork } from "./sliced-work.js";

/**
 * Makes the tries of fields that misspelt words have been looked for in, in segments of the same index: searches
 * would wait for those of each new segment else. On failure the segment is closed.
 *
 * @throws CorruptionError
 */
export function* makeWantedTries(segment: OpenSegment, others: readonly OpenSegment[]): SlicedWork {
  try {
    for (const { name } of segment.schema.fields) {
      const tries = segment.terms(name)?.tries ?? null;
      if (tries !== null && others.some((other) => other.terms(name)?.tries?.areMade === true))
        yield* tries.make();
    }
  } catch (error) {
    segment.close();
    throw error;
  }
}
