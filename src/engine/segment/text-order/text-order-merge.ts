import type { EngineField } from "../../schema/engine-schema.js";
import type { BlockViewer } from "../doc-store/copy-documents.js";
import type { DocStoreReader } from "../doc-store/doc-store-reader.js";
import type { TextOrder } from "../segment-reader.js";
import type { SlicedWork } from "../sliced-work.js";

/** A segment whose documents go into the merged one. */
export interface TextOrderSource {
  readonly documents: DocStoreReader;
  /** Old doc id to new, -1 for a document that is dropped. */
  readonly docMap: Int32Array;
  /** The ranks of a field's values, null if there are none. */
  textOrder(field: string): TextOrder | null;
}

/** Merges the ranks of single-valued text fields. */
export interface TextOrderMerge {
  /** To be shown all blocks of a source that hold kept documents, before anything is merged. */
  viewerOf(source: number): BlockViewer;
  /** A field's ranks by new doc id, null if no kept document has a value. To be asked once per field, in order. */
  merge(field: EngineField, newMaxDoc: number): SlicedWork<Uint32Array | null>;
  /** Gives memory back; nothing else may be called afterwards. */
  close(): void;
}
