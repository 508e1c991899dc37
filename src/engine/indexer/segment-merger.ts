import { testBit } from "../bytes/bitset.js";
import type { FileOwner } from "../bytes/file-owner.js";
import type { NewFiles } from "../directory/directory.js";
import type { EngineField, EngineSchema } from "../schema/engine-schema.js";
import { mergeColumns } from "../segment/columns/merge-columns.js";
import type { ContainerWriter } from "../segment/container/container-writer.js";
import { copyDocuments } from "../segment/doc-store/copy-documents.js";
import { DocStoreWriter } from "../segment/doc-store/doc-store-writer.js";
import { DOCUMENT_ID_BYTES } from "../segment/document-ids/document-id-bytes.js";
import { DocumentIdsWriter } from "../segment/document-ids/document-ids-writer.js";
import type { OpenSegment } from "../segment/open-segment.js";
import {
  columnPrefix,
  fieldPrefix,
  hasColumn,
  hasPaths,
  hasTerms,
  hasTextOrder,
  type SegmentFiles,
  textOrderPrefix,
} from "../segment/segment-files.js";
import { chunksInSlices, type SlicedChunks, type SlicedWork } from "../segment/sliced-work.js";
import { mergeFieldTerms } from "../segment/terms/field-terms-merger.js";
import { TextOrderMerge } from "../segment/text-order/text-order-merge.js";
import { newIndexFile, writeSegmentFiles } from "../segment/write-segment-files.js";

/** Documents whose ids are copied between two pauses; a power of two. */
const DOCUMENTS_PER_STEP = 4096;

/**
 * Writes the live documents of several segments as one new segment, in the order of the inputs,
 * without analysing them again. The index file is, byte for byte, what a builder would make of these
 * documents. Lets the event loop turn meanwhile.
 *
 * Takes memory for the new index file's folded sections and for all those of one field at a time, for
 * beginnings of texts (`TextOrderMerge`), and for some megabytes of documents: they pass in blocks.
 *
 * @param beforeSlice may throw, and end the merge with it
 * @throws FindlingError `storage_unavailable`, CorruptionError naming the file; no file is left then
 */
export async function mergeSegments(
  directory: NewFiles,
  schema: EngineSchema,
  inputs: readonly OpenSegment[],
  name: string,
  beforeSlice?: () => void,
): Promise<SegmentFiles> {
  const docMaps = docMapsOf(inputs);
  const maxDoc = inputs.reduce((sum, input) => sum + input.docCount, 0);
  const textOrders = beginTextOrders(schema, inputs, docMaps);
  const writer = new DocStoreWriter();
  const { owner } = writer;
  const merge = { schema, inputs, docMaps, maxDoc, textOrders, owner };
  const documents = chunksInSlices(mergeDocuments(merge, writer), beforeSlice);
  const index = chunksInSlices(mergeIndex(merge), beforeSlice);
  try {
    return await writeSegmentFiles(directory, { name, maxDoc, owner }, index, documents);
  } finally {
    textOrders?.close();
  }
}

/** Null if no field has an order. */
function beginTextOrders(
  { fields }: EngineSchema,
  inputs: readonly OpenSegment[],
  docMaps: readonly Int32Array[],
): TextOrderMerge | null {
  const ordered = fields.filter(hasTextOrder);
  if (ordered.length === 0) return null;
  const sources = inputs.map((input, i) => ({
    documents: input.documents,
    docMap: docMaps[i]!,
    textOrder: (field: string) => input.textOrder(field),
  }));
  return new TextOrderMerge(ordered, sources);
}

/** What is merged. */
interface Merge {
  readonly schema: EngineSchema;
  readonly inputs: readonly OpenSegment[];
  readonly docMaps: readonly Int32Array[];
  /** How many doc ids the merged segment has. */
  readonly maxDoc: number;
  readonly owner: FileOwner;
  /** They have seen the documents once these are copied; null if no field has an order. */
  readonly textOrders: TextOrderMerge | null;
}

/** Yields the new index file, after the documents have been copied: what is large as soon as it is there. */
function* mergeIndex(merge: Merge): SlicedChunks {
  const ranks = yield* mergeRanks(merge);
  const index = newIndexFile(merge.schema, merge.maxDoc, merge.owner);
  const work = mergeSections(index, merge, ranks);
  while (work.next().done !== true) {
    yield* index.takeChunks();
    yield;
  }
  yield* index.chunks();
}

/** All of them before anything else, since what it takes to compare values is much more than they are. */
function* mergeRanks({ schema, maxDoc, textOrders }: Merge): SlicedWork<Map<EngineField, Uint32Array>> {
  const merged = new Map<EngineField, Uint32Array>();
  for (const field of schema.fields) {
    const ranks = textOrders !== null && hasTextOrder(field) ? yield* textOrders.merge(field, maxDoc) : null;
    if (ranks !== null) merged.set(field, ranks);
  }
  textOrders?.close();
  return merged;
}

function* mergeSections(
  index: ContainerWriter,
  merge: Merge,
  ranks: ReadonlyMap<EngineField, Uint32Array>,
): SlicedWork {
  const { schema, inputs, docMaps, maxDoc } = merge;
  yield* mergeDocumentIds(index, merge);
  for (let ordinal = 0; ordinal < schema.fields.length; ordinal++) {
    const field = schema.fields[ordinal]!;
    const fieldInputs = inputs.map((input, i) => ({
      reader: input.terms(field.name),
      column: input.column(field.name),
      docMap: docMaps[i]!,
    }));
    if (hasTerms(field)) yield* mergeFieldTerms(index, fieldPrefix(ordinal), fieldInputs, maxDoc);
    const fieldRanks = ranks.get(field);
    if (fieldRanks !== undefined) index.addNumbers(`${textOrderPrefix(ordinal)}ranks`, fieldRanks);
    if (hasColumn(field)) {
      const shape = { multi: field.multi, facet: hasPaths(field) };
      yield* mergeColumns(index, columnPrefix(ordinal), fieldInputs, maxDoc, shape);
    }
  }
}

function* mergeDocumentIds(index: ContainerWriter, { inputs, docMaps }: Merge): SlicedWork {
  const ids = new DocumentIdsWriter();
  const id = new Uint8Array(DOCUMENT_ID_BYTES);
  for (let i = 0; i < inputs.length; i++) {
    const input = inputs[i]!;
    const docMap = docMaps[i]!;
    for (let docId = 0; docId < input.maxDoc; docId++) {
      if (docMap[docId]! >= 0) {
        input.ids.writeId(docId, id);
        ids.addBytes(id);
      }
      if ((docId & (DOCUMENTS_PER_STEP - 1)) === DOCUMENTS_PER_STEP - 1) yield;
    }
  }
  yield* ids.write(index);
}

function docMapsOf(inputs: readonly OpenSegment[]): Int32Array[] {
  let next = 0;
  return inputs.map(({ maxDoc, liveDocs }) => {
    const docMap = new Int32Array(maxDoc);
    for (let docId = 0; docId < maxDoc; docId++) {
      docMap[docId] = liveDocs === null || testBit(liveDocs, docId) ? next++ : -1;
    }
    return docMap;
  });
}

/** Yields the new document store. */
function* mergeDocuments({ inputs, docMaps, textOrders }: Merge, writer: DocStoreWriter): SlicedChunks {
  for (let i = 0; i < inputs.length; i++) {
    yield* copyDocuments(writer, inputs[i]!.documents, docMaps[i]!, textOrders?.viewerOf(i) ?? null);
  }
  yield* writer.finish();
}
