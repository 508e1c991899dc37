import { compareBytes } from "../../schema/compare-bytes.js";
import { decodeSortBytes } from "../../schema/decode-sort-bytes.js";
import type { EngineField } from "../../schema/engine-schema.js";
import { invertOrdinals } from "../columns/column-sections.js";
import { facetTree } from "../columns/facet-tree.js";
import { hasPaths } from "../segment-files.js";
import type { OrdinalColumn } from "../segment-reader.js";

/** What is wrong with a column beyond the sizes that opening checks, one sentence each. Reads all of it. */
export function checkColumn(field: EngineField, column: OrdinalColumn, maxDoc: number): string[] {
  const problems = [...checkValues(field, column)];
  const forward = forwardOrdinals(column, maxDoc);
  if (typeof forward === "string") return [...problems, forward];
  let docsWithValue = 0;
  for (let docId = 0; docId < maxDoc; docId++) {
    if (forward.starts[docId + 1]! > forward.starts[docId]!) docsWithValue++;
  }
  if (docsWithValue !== column.docsWithValue) {
    problems.push(`${docsWithValue} documents have a value, the header says ${column.docsWithValue}`);
  }
  const inverted = invertOrdinals(forward.starts, forward.ordinals, column.valueCount);
  if (!equal(inverted.docStarts, column.docStarts) || !equal(inverted.docs, column.docs)) {
    problems.push("the documents by value are not the values by document");
  }
  if (hasPaths(field)) problems.push(...checkFacets(column));
  return problems;
}

function* checkValues(field: EngineField, column: OrdinalColumn): Generator<string> {
  let previous: Uint8Array | null = null;
  for (let ordinal = 0; ordinal < column.valueCount; ordinal++) {
    const value = column.valueBytes(ordinal);
    if (previous !== null && compareBytes(previous, value) >= 0) {
      yield `value ${ordinal} is not greater than the one before`;
      return;
    }
    try {
      decodeSortBytes(field, value);
    } catch (error) {
      yield `value ${ordinal}: ${error instanceof Error ? error.message : String(error)}`;
      return;
    }
    previous = value;
  }
}

/** The ordinals by document, or what is wrong with them. */
function forwardOrdinals(
  column: OrdinalColumn,
  maxDoc: number,
): { readonly starts: Uint32Array; readonly ordinals: Uint32Array } | string {
  const { ordinals: single, multiStarts, multiOrdinals, valueCount } = column;
  if (single !== null) {
    const starts = new Uint32Array(maxDoc + 1);
    const ordinals = new Uint32Array(column.docs.length);
    for (let docId = 0; docId < maxDoc; docId++) {
      const stored = single[docId]!;
      if (stored > valueCount) return `document ${docId} has ordinal ${stored - 1} of ${valueCount}`;
      const start = starts[docId]!;
      if (stored !== 0) ordinals[start] = stored - 1;
      starts[docId + 1] = start + (stored === 0 ? 0 : 1);
    }
    if (starts[maxDoc] !== ordinals.length)
      return "the documents by value are not as many as the values by document";
    return { starts, ordinals };
  }
  const starts = multiStarts!;
  const ordinals = multiOrdinals!;
  if (starts[0] !== 0 || starts[maxDoc] !== ordinals.length)
    return "the starts of documents don't span the ordinals";
  for (let docId = 0; docId < maxDoc; docId++) {
    if (starts[docId]! > starts[docId + 1]!) return `the ordinals of document ${docId} end before they start`;
    for (let at = starts[docId]!; at < starts[docId + 1]!; at++) {
      if (ordinals[at]! >= valueCount)
        return `document ${docId} has ordinal ${ordinals[at]} of ${valueCount}`;
      if (at > starts[docId]! && ordinals[at - 1]! >= ordinals[at]!) {
        return `the ordinals of document ${docId} don't ascend`;
      }
    }
  }
  return { starts, ordinals };
}

function* checkFacets(column: OrdinalColumn): Generator<string> {
  const offsets = new Uint32Array(column.valueCount + 1);
  for (let ordinal = 0; ordinal < column.valueCount; ordinal++) {
    offsets[ordinal + 1] = offsets[ordinal]! + column.valueBytes(ordinal).length;
  }
  const bytes = new Uint8Array(offsets[column.valueCount]!);
  for (let ordinal = 0; ordinal < column.valueCount; ordinal++)
    bytes.set(column.valueBytes(ordinal), offsets[ordinal]!);
  const { parents, subtreeEnds } = facetTree({ bytes, offsets });
  if (!equal(parents, column.facetParents) || !equal(subtreeEnds, column.facetSubtreeEnds)) {
    yield "parents or subtree ends of the facet tree are wrong";
  }
  for (let ordinal = 0; ordinal < column.valueCount; ordinal++) {
    const path = column.valueBytes(ordinal);
    const parentEnd = path.lastIndexOf(0);
    const parent = parents[ordinal]!;
    const isComplete =
      parentEnd <= 0 ? parent === -1 : parent >= 0 && column.valueBytes(parent).length === parentEnd;
    if (!isComplete) {
      yield `the parent of path ${ordinal} is missing`;
      return;
    }
  }
}

function equal(left: ArrayLike<number>, right: ArrayLike<number> | null): boolean {
  if (left.length !== right?.length) return false;
  for (let i = 0; i < left.length; i++) {
    if (left[i] !== right[i]) return false;
  }
  return true;
}
