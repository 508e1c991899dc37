import type { CanonicalDocument, CanonicalValue, DocId, DocumentId } from "../schema/document.js";
import type { EngineSchema } from "../schema/engine-schema.js";
import { sortBytes } from "../schema/sort-bytes.js";
import type { SlicedWork } from "../segment/sliced-work.js";
import { keyFieldOf } from "./encoded-documents.js";
import { liveDocWith } from "./giving-way.js";
import { keptValues } from "./kept-values.js";
import type { WriterSegment } from "./writer-segment.js";

/** A document by its id, or by its value of a field that can be a key. */
export type DocumentTarget =
  | { readonly id: DocumentId }
  | { readonly field: string; readonly value: CanonicalValue };

/** A live document, committed or pending. */
export interface FoundDocument {
  readonly id: DocumentId;
  /** The JSON that hits show of it. */
  readonly stored: Uint8Array;
  /** With the values that hits don't show. */
  readonly document: CanonicalDocument;
}

/** Finds and reads documents, null for each that isn't there, in the order of the targets. */
export function* findDocuments(
  targets: readonly DocumentTarget[],
  segments: readonly WriterSegment[],
  schema: EngineSchema,
): SlicedWork<(FoundDocument | null)[]> {
  // The newest have most of what is written again.
  const newestFirst = [...segments].reverse();
  const found: (FoundDocument | null)[] = [];
  for (const target of targets) {
    const place = placeFinder(target, schema);
    let document: FoundDocument | null = null;
    for (const segment of newestFirst) {
      const docId = place(segment);
      if (docId < 0) continue;
      const { reader } = segment;
      const stored = reader.storedJson(docId);
      document = {
        id: reader.documentId(docId),
        stored: reader.storedBytes(docId).slice(),
        document: keptValues(stored, reader.unstoredJson(docId)),
      };
      break;
    }
    found.push(document);
    yield;
  }
  return found;
}

function placeFinder(target: DocumentTarget, schema: EngineSchema): (segment: WriterSegment) => DocId {
  if ("id" in target) {
    return (segment) => {
      const docId = segment.reader.docIdOf(target.id);
      return docId >= 0 && segment.isLive(docId) ? docId : -1;
    };
  }
  const key = sortBytes(keyFieldOf(schema, target.field), target.value);
  return (segment) => {
    const column = segment.reader.column(target.field);
    return column === null ? -1 : liveDocWith(column, key, segment);
  };
}
