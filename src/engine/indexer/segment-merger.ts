import { testBit } from "../bytes/bitset.js";
import type { NewFiles } from "../directory/directory.js";
import type { DocId } from "../schema/document.js";
import type { EngineField, EngineSchema } from "../schema/engine-schema.js";
import { mergeColumns } from "../segment/columns/merge-columns.js";
import type { ContainerWriter } from "../segment/container/container-writer.js";
import { copyDocuments, type DocumentReader } from "../segment/doc-store/copy-documents.js";
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
import { chunksInSlices, runInSlices, type SlicedChunks, type SlicedWork } from "../segment/sliced-work.js";
import { mergeTextOrders } from "../segment/text-order/merge-text-orders.js";
import { StoredTexts } from "../segment/text-order/stored-texts.js";
import { TextMember } from "../segment/text-order/text-member.js";
import { TextOrderMergeInput } from "../segment/text-order/text-order-merge-input.js";
import { newIndexFile, writeSegmentFiles } from "../segment/write-segment-files.js";
import { mergeTextFields } from "./text-field-merger.js";

/** Documents whose ids are copied between two pauses; a power of two. */
const DOCUMENTS_PER_STEP = 4096;

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

/**
 * Writes the live documents of several segments as one new segment, in the order of the inputs,
 * without analysing them again. The index file is, byte for byte, what a builder would make of these
 * documents. Lets the event loop turn meanwhile.
 *
 * Takes memory for the new index file, for 20 bytes and a few dozen of text per different value of each
 * single-valued text field, and for some megabytes of documents: they pass in blocks.
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
  const orderedFields = orderedFieldsOf(schema, inputs, docMaps);
  const merge = { schema, inputs, docMaps, maxDoc, orderedFields };
  const makeIndex = async (): Promise<ContainerWriter> => {
    const index = newIndexFile(schema, maxDoc);
    await runInSlices(mergeSections(index, merge));
    return index;
  };
  const documents = chunksInSlices(mergeDocuments(merge));
  return { files: await writeSegmentFiles(directory, name, maxDoc, makeIndex, documents), docMaps };
}

/** What is merged. */
interface Merge {
  readonly schema: EngineSchema;
  readonly inputs: readonly OpenSegment[];
  readonly docMaps: readonly Int32Array[];
  /** Of the merged segment. */
  readonly maxDoc: number;
  /** They have learned their values once the documents are copied. */
  readonly orderedFields: readonly OrderedField[];
}

/** Adds all sections to the index file, after the documents have been copied. */
function* mergeSections(index: ContainerWriter, merge: Merge): SlicedWork {
  const { schema, inputs, docMaps, maxDoc, orderedFields } = merge;
  yield* mergeDocumentIds(index, merge);
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

/** Yields the new document store, and shows each ordered field the values that it wants. */
function* mergeDocuments({ inputs, docMaps, orderedFields }: Merge): SlicedChunks {
  const writer = new DocStoreWriter();
  for (let i = 0; i < inputs.length; i++) {
    const values = new OrderedValues(orderedFields, i);
    yield* copyDocuments(writer, inputs[i]!.documents, docMaps[i]!, values);
  }
  yield* writer.finish();
}

/** The values of ordered fields in one input, as its documents pass. */
class OrderedValues implements DocumentReader {
  readonly #fields: EngineField[] = [];
  readonly #members: TextMember[] = [];
  readonly #orders: TextOrderMergeInput[] = [];

  constructor(orderedFields: readonly OrderedField[], input: number) {
    for (const { field, inputs } of orderedFields) {
      const order = inputs[input]!;
      if (order === null) continue;
      this.#fields.push(field);
      this.#members.push(new TextMember(field.name));
      this.#orders.push(order);
    }
  }

  wants(docId: DocId): boolean {
    const orders = this.#orders;
    for (let i = 0; i < orders.length; i++) if (orders[i]!.wants(docId)) return true;
    return false;
  }

  read(docId: DocId, stored: Uint8Array, unstored: Uint8Array): void {
    const orders = this.#orders;
    for (let i = 0; i < orders.length; i++) {
      const order = orders[i]!;
      if (!order.wants(docId)) continue;
      order.learn(docId, this.#members[i]!, this.#fields[i]!.stored ? stored : unstored);
    }
  }
}
