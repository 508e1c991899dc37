import { BuildingMemory } from "../kernels/building-memory.js";
import { normsOf, totalLengths, writeFieldLengths } from "../segment/field-norms/field-lengths.js";
import type { SectionSink } from "../segment/sections.js";
import type { SlicedWork } from "../segment/sliced-work.js";
import type { FieldTermsReader } from "../segment/terms/field-terms-reader.js";
import { KernelPostings } from "./kernel-postings.js";
import { MergeWindow } from "./merge-window.js";

/** A segment that has terms of the field. */
export interface PresentField {
  readonly reader: FieldTermsReader;
  readonly docMap: Int32Array;
}

export interface MergedField {
  readonly sink: SectionSink;
  readonly prefix: string;
  readonly maxDoc: number;
  readonly lengths: Uint32Array;
  readonly positionWidths: Uint8Array;
}

/**
 * Merges a text field by kernels, a window of each segment at a time. False, and nothing is written, where
 * there are none, or for more segments than they take.
 */
export function* mergeFieldByKernels(
  { sink, prefix, maxDoc, lengths, positionWidths }: MergedField,
  inputs: readonly PresentField[],
): SlicedWork<boolean> {
  const totals = totalLengths(lengths, maxDoc);
  if (totals.tokens === 0) return true;
  const memory = BuildingMemory.take();
  if (memory === null) return false;
  try {
    const { functions } = memory;
    const table = functions.newMergeInputs(inputs.length);
    if (functions.beginMerge(table, inputs.length) === 0) return false;
    const norms = normsOf(lengths, maxDoc);
    const postings = new KernelPostings(memory, {
      maxDoc,
      norms,
      positionWidths,
      averageLength: totals.averageLength,
      lengthMax: totals.longest,
      termLengthMax: inputs.reduce((most, { reader }) => Math.max(most, longestTerm(reader)), 0),
    });
    yield;
    const windows = inputs.map(
      ({ reader, docMap }, i) =>
        new MergeWindow(memory, table + i * functions.mergeInputBytes(), reader, docMap),
    );
    yield* postings.merge(() => {
      for (const window of windows) if (window.wantsMore) window.fill();
    });
    yield* postings.write(sink, prefix);
    writeFieldLengths(sink, prefix, lengths, norms, totals);
    return true;
  } finally {
    memory.giveBack();
  }
}

function longestTerm({ dictionary: { offsets } }: FieldTermsReader): number {
  let longest = 0;
  for (let i = 1; i < offsets.length; i++) longest = Math.max(longest, offsets[i]! - offsets[i - 1]!);
  return longest;
}
