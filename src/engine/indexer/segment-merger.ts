import { testBit } from "../bytes/bitset.js";
import type { NewFiles } from "../directory/directory.js";
import type { DocId } from "../schema/document.js";
import type { EngineField, EngineSchema } from "../schema/engine-schema.js";
import { mergeColumns } from "../segment/columns/merge-columns.js";
import type { ContainerWriter } from "../segment/container/container-writer.js";
import type { DocumentVisitor } from "../segment/doc-store/doc-store-reader.js";
import { DocStoreWriter } from "../segment/doc-store/doc-store-writer.js";
import { DOCUMENT_ID_BYTES } from "../segment/document-ids/document-id-bytes.js";
import { DocumentIdsWriter } from "../segment/document-ids/document-ids-writer.js";
import type { OpenSegment } from "../segment/open-segment.js";
import {
  columnPrefix,
  fieldPrefix,
  hasColumn,
  hasTerms,
  hasTextOrder,
  type SegmentFiles,
  textOrderPrefix,
} from "../segment/segment-files.js";
import { runInSlices, type SlicedWork } from "../segment/sliced-work.js";
import { mergeTextOrders } from "../segment/text-order/merge-text-orders.js";
import { StoredTexts } from "../segment/text-order/stored-texts.js";
import { TextMember } from "../segment/text-order/text-member.js";
import { TextOrderMergeInput } from "../segment/text-order/text-order-merge-input.js";
import { newIndexFile, writeSegmentFiles } from "../segment/write-segment-files.js";
import { mergeTextFields } from "./text-field-merger.js";

/** Documents, or blocks of them, that are copied between two pauses; powers of two. */
const DOCUMENTS_PER_STEP = 4096;
const BLOCKS_PER_STEP = 8;

export interface MergedSegment {
  readonly files: SegmentFiles;
  /** Per input: old doc id to new, -1 for a deleted document. */
  readonly docMaps: readonly Int32Array[];
}

/** A single-valued text field whose ranks are merged, with its part in each input that has any. */
interface OrderedField {
  readonly field: EngineField;
  readonly inputs: (TextOrderMergeInput | null)[];
}

/** A field's values in one input. */
interface OrderedValues {
  readonly field: EngineField;
  readonly member: TextMember;
  readonly order: TextOrderMergeInput;
}

/**
 * Writes the live documents of several segments as one new segment, in the order of the inputs,
 * without analysing them again. The index file is, byte for byte, what a builder would make of these
 * documents. Lets the event loop turn meanwhile.
 *
 * @throws FindlingError `storage_unavailable`, CorruptionError naming the file; no file is left then
 */
export async function mergeSegments(
  directory: NewFiles,
  schema: EngineSchema,
  inputs: readonly OpenSegment[],
  name: string,
): Promise<MergedSegment> {
  const docMaps = docMapsOf(inputs);
  const maxDoc = inputs.reduce((sum, input) => sum + input.docCount, 0);
  const index = newIndexFile(schema, maxDoc);
  const documents = await runInSlices(mergeSections(index, { schema, inputs, docMaps, maxDoc }));
  return { files: await writeSegmentFiles(directory, name, maxDoc, index, documents), docMaps };
}

/** What is merged. */
interface Merge {
  readonly schema: EngineSchema;
  readonly inputs: readonly OpenSegment[];
  readonly docMaps: readonly Int32Array[];
  /** Of the merged segment. */
  readonly maxDoc: number;
}

/** Adds all sections to the index file; returns the document store. */
function* mergeSections(index: ContainerWriter, merge: Merge): SlicedWork<Uint8Array[]> {
  const { schema, inputs, docMaps, maxDoc } = merge;
  yield* mergeDocumentIds(index, merge);
  const orderedFields = orderedFieldsOf(schema, inputs, docMaps);
  const documents = yield* mergeDocuments(inputs, docMaps, orderedFields);
  for (let ordinal = 0; ordinal < schema.fields.length; ordinal++) {
    const field = schema.fields[ordinal]!;
    const fieldInputs = inputs.map((input, i) => ({
      reader: input.terms(field.name),
      column: input.column(field.name),
      docMap: docMaps[i]!,
    }));
    if (hasTerms(field)) yield* mergeTextFields(index, fieldPrefix(ordinal), fieldInputs, maxDoc);
    const orders = orderedFields.find((ordered) => ordered.field === field)?.inputs ?? [];
    const presentOrders = orders.filter((order) => order !== null);
    yield* mergeTextOrders(index, textOrderPrefix(ordinal), presentOrders, maxDoc);
    if (hasColumn(field)) {
      const shape = { multi: field.multi, facet: field.kind === "facet" };
      yield* mergeColumns(index, columnPrefix(ordinal), fieldInputs, maxDoc, shape);
    }
  }
  return documents;
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

function orderedFieldsOf(
  schema: EngineSchema,
  inputs: readonly OpenSegment[],
  docMaps: readonly Int32Array[],
): OrderedField[] {
  return schema.fields.flatMap((field) => {
    if (!hasTextOrder(field)) return [];
    const orders = inputs.map((input, i) => {
      const order = input.textOrder(field.name);
      if (order === null) return null;
      return new TextOrderMergeInput(order, docMaps[i]!, new StoredTexts(input.documents, field));
    });
    return [{ field, inputs: orders }];
  });
}

/**
 * Copies the documents that are kept, and shows each field's merge the values that it wants. A
 * segment without deletes is copied as compressed blocks; it is decoded only for its values.
 */
function* mergeDocuments(
  inputs: readonly OpenSegment[],
  docMaps: readonly Int32Array[],
  orderedFields: readonly OrderedField[],
): SlicedWork<Uint8Array[]> {
  const writer = new DocStoreWriter();
  for (let i = 0; i < inputs.length; i++) {
    const { documents, liveDocs } = inputs[i]!;
    const docMap = docMaps[i]!;
    const orders = orderedFields.flatMap(({ field, inputs: all }): OrderedValues[] => {
      const order = all[i]!;
      return order === null ? [] : [{ field, member: new TextMember(field.name), order }];
    });
    const isWhole = liveDocs === null;
    if (isWhole) yield* writer.appendAll(documents);
    if (isWhole && orders.length === 0) continue;
    const visit: DocumentVisitor = (docId, stored, unstored) => {
      if (docMap[docId]! < 0) return;
      if (!isWhole) writer.append(stored, unstored);
      learnValues(orders, docId, stored, unstored);
    };
    for (let block = 0; block < documents.blockCount; block++) {
      documents.forEachOfBlock(block, visit);
      if ((block & (BLOCKS_PER_STEP - 1)) === BLOCKS_PER_STEP - 1) yield;
    }
  }
  return writer.finish();
}

function learnValues(
  orders: readonly OrderedValues[],
  docId: DocId,
  stored: Uint8Array,
  unstored: Uint8Array,
): void {
  for (let i = 0; i < orders.length; i++) {
    const { field, member, order } = orders[i]!;
    if (order.wants(docId)) order.learn(docId, member, field.stored ? stored : unstored);
  }
}
