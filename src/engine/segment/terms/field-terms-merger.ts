import { BuildingMemory } from "../../kernels/building-memory.js";
import { normsOf, totalLengths, writeFieldLengths } from "../field-norms/field-lengths.js";
import type { SectionSink } from "../sections.js";
import type { SlicedWork } from "../sliced-work.js";
import type { FieldTermsReader } from "./field-terms-reader.js";
import { FieldTermsWriter } from "./field-terms-writer.js";
import { MergeWindow } from "./merge-window.js";

/** One segment's part in a merged field. */
export interface FieldTermsMergeInput {
  /** Null if the field has no terms in the segment. */
  readonly reader: FieldTermsReader | null;
  /** Old doc id to new, -1 for a document that is dropped. New ids ascend, within an input and across them. */
  readonly docMap: Int32Array;
}

/**
 * Merges a text field of several segments into one: equal, byte for byte, to the field built from the
 * surviving documents. Walks all dictionaries side by side, a window of each segment in the kernels' memory at a time.
 */
export function* mergeFieldTerms(
  sink: SectionSink,
  prefix: string,
  inputs: readonly FieldTermsMergeInput[],
  maxDoc: number,
): SlicedWork {
  const present = inputs.filter(hasTerms);
  const lengths = new Uint32Array(maxDoc);
  const positionWidths = new Uint8Array(maxDoc);
  for (const { reader, docMap } of present) {
    const widths = reader.postingSections.positionWidths;
    for (let docId = 0; docId < reader.maxDoc; docId++) {
      const newDocId = docMap[docId]!;
      if (newDocId < 0) continue;
      lengths[newDocId] = reader.lengthOf(docId);
      positionWidths[newDocId] = widths[docId]!;
    }
    yield;
  }
  const totals = totalLengths(lengths, maxDoc);
  if (totals.tokens === 0) return;
  const memory = BuildingMemory.take();
  try {
    const { functions } = memory;
    const table = functions.newMergeInputs(present.length);
    functions.beginMerge(table, present.length);
    const norms = normsOf(lengths, maxDoc);
    const writer = new FieldTermsWriter(memory, {
      maxDoc,
      norms,
      positionWidths,
      averageLength: totals.averageLength,
      lengthMax: totals.longest,
      termLengthMax: present.reduce((most, { reader }) => Math.max(most, longestTerm(reader)), 0),
    });
    yield;
    const windows = present.map(
      ({ reader, docMap }, i) =>
        new MergeWindow(memory, table + i * functions.mergeInputBytes(), reader, docMap),
    );
    yield* writer.merge(() => {
      for (const window of windows) if (window.wantsMore) window.fill();
    });
    yield* writer.write(sink, prefix);
    writeFieldLengths(sink, prefix, lengths, norms, totals);
  } finally {
    memory.giveBack();
  }
}

type PresentInput = FieldTermsMergeInput & { readonly reader: FieldTermsReader };

function hasTerms(input: FieldTermsMergeInput): input is PresentInput {
  return input.reader !== null;
}

function longestTerm({ dictionary: { offsets } }: FieldTermsReader): number {
  let longest = 0;
  for (let i = 1; i < offsets.length; i++) longest = Math.max(longest, offsets[i]! - offsets[i - 1]!);
  return longest;
}
