import type { DocId, DocumentId } from "../schema/document.js";
import type { DocBits } from "../segment/segment-reader.js";
import type { SlicedWork } from "../segment/sliced-work.js";
import type { WriterSegment } from "./writer-segment.js";

/** Documents visited between two pauses; a power of two. */
const DOCUMENTS_PER_STEP = 4096;

/** Deletes documents by their ids; unknown ids are passed over. */
export function* deleteEach(segments: readonly WriterSegment[], ids: readonly DocumentId[]): SlicedWork {
  for (let i = 0; i < ids.length; i++) {
    for (const segment of segments) {
      const docId = segment.reader.docIdOf(ids[i]!);
      if (docId >= 0) segment.delete(docId);
    }
    if ((i & (DOCUMENTS_PER_STEP - 1)) === DOCUMENTS_PER_STEP - 1) yield;
  }
}

/** Visits the documents of each segment that its bits name, in order. */
export function* forEachMatch(
  segments: readonly WriterSegment[],
  matches: readonly DocBits[],
  visit: (segment: WriterSegment, docId: DocId) => void,
): SlicedWork {
  let visited = 0;
  for (let i = 0; i < segments.length; i++) {
    const segment = segments[i]!;
    const bits = matches[i]!;
    for (let word = 0; word < bits.length; word++) {
      for (let rest = bits[word]!; rest !== 0; rest &= rest - 1) {
        visit(segment, (word << 5) + 31 - Math.clz32(rest & -rest));
        if ((++visited & (DOCUMENTS_PER_STEP - 1)) === 0) yield;
      }
    }
  }
}
