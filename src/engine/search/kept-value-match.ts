import { type Analyzer, tokensOf } from "../../analysis/analyzer.js";
import type { DocBits, SegmentReader } from "../segment/segment-reader.js";

/**
 * Which kept values of a field are meant, as plain data: one of some values as a whole, or text that
 * holds one of some phrases. Phrases are tokens at their positions after the first.
 */
export type KeptValueMatch =
  | { readonly kind: "values"; readonly values: readonly unknown[] }
  | {
      readonly kind: "phrases";
      readonly phrases: readonly (readonly { readonly term: string; readonly position: number }[])[];
    };

/** Documents read between two pauses; a power of two. */
const DOCUMENTS_PER_STEP = 256;

/**
 * By segment: the documents, deleted ones included, whose kept value of a field is meant, or any of its values if
 * it has several. Reads every document.
 */
export async function matchKeptValues(
  segments: readonly SegmentReader[],
  field: string,
  match: KeptValueMatch,
  analyzer: Analyzer,
): Promise<readonly DocBits[]> {
  const matches = keptValueMatcher(match, analyzer);
  const found: DocBits[] = [];
  for (const segment of segments) {
    const bits = new Uint32Array((segment.maxDoc + 31) >>> 5);
    const isStored = segment.field(field)?.stored === true;
    for (let docId = 0; docId < segment.maxDoc; docId++) {
      const json = isStored ? segment.storedJson(docId) : segment.unstoredJson(docId);
      const value = (JSON.parse(json) as Record<string, unknown>)[field];
      const values = Array.isArray(value) ? value : value === undefined ? [] : [value];
      if (values.some(matches)) bits[docId >>> 5]! |= 1 << (docId & 31);
      if ((docId & (DOCUMENTS_PER_STEP - 1)) !== DOCUMENTS_PER_STEP - 1) continue;
      await new Promise((resume) => setImmediate(resume));
    }
    found.push(bits);
  }
  return found;
}

/** Whether a value, one of a field's canonical ones, is meant. */
export function keptValueMatcher(match: KeptValueMatch, analyzer: Analyzer): (value: unknown) => boolean {
  if (match.kind === "values") {
    const values = new Set(match.values);
    return (value) => values.has(value);
  }
  const { phrases } = match;
  return (value) => {
    if (typeof value !== "string") return false;
    const byPosition = new Map(tokensOf(analyzer, value).map(({ text, position }) => [position, text]));
    return phrases.some((phrase) =>
      [...byPosition.keys()].some((start) =>
        phrase.every(({ term, position }) => byPosition.get(start + position) === term),
      ),
    );
  };
}
