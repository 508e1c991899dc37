/** Spreads documents over segments, with deleted documents in between. */
import fc from "fast-check";
import type { Analyzer } from "../../src/analysis/analyzer.js";
import { emptyBitset, setBit } from "../../src/engine/bytes/bitset.js";
import { MemoryDirectory } from "../../src/engine/directory/memory-directory.js";
import { SegmentBuilder } from "../../src/engine/indexer/segment-builder.js";
import type { CanonicalDocument } from "../../src/engine/schema/document.js";
import type { EngineSchema } from "../../src/engine/schema/engine-schema.js";
import { openSegment } from "../../src/engine/segment/open-segment.js";
import type { SegmentReader } from "../../src/engine/segment/segment-reader.js";
import type { NaiveDocument } from "./naive-documents.js";

/** What stands before each document: how many deleted ones, and whether a new segment begins. */
export interface LayoutStep {
  readonly deletedBefore: number;
  readonly beginsSegment: boolean;
}

/** @param deletedCounts as many deleted documents as may stand before a live one */
export function arbitraryLayout(
  documentCount: number,
  deletedCounts: readonly number[],
): fc.Arbitrary<readonly LayoutStep[]> {
  return fc.array(
    fc.record({
      deletedBefore: fc.constantFrom(...deletedCounts),
      beginsSegment: fc.constantFrom(true, false, false, false),
    }),
    { minLength: documentCount, maxLength: documentCount },
  );
}

/**
 * Real segments with the documents in order.
 *
 * @param deletedContents what deleted documents hold, in turn; unless given the same as the live ones,
 *   so that statistics which count them are wrong
 */
export async function segmentsOf(
  schema: EngineSchema,
  analyzer: Analyzer,
  documents: readonly NaiveDocument[],
  layout: readonly LayoutStep[],
  deletedContents: readonly CanonicalDocument[] = documents.map(({ document }) => document),
): Promise<SegmentReader[]> {
  const directory = new MemoryDirectory();
  const segments: SegmentReader[] = [];
  let builder = new SegmentBuilder(schema, analyzer);
  let live: number[] = [];
  let deleted = 0;
  const finishSegment = async (): Promise<void> => {
    if (builder.docCount === 0) return;
    const name = `s${String(segments.length).padStart(8, "0")}`;
    const liveDocs = emptyBitset(builder.docCount);
    for (const docId of live) setBit(liveDocs, docId);
    await builder.write(directory, name);
    const segment = await openSegment(directory, name, schema, null);
    segments.push(live.length === segment.maxDoc ? segment : segment.withLiveDocs(liveDocs));
    builder = new SegmentBuilder(schema, analyzer);
    live = [];
  };
  for (let i = 0; i < documents.length; i++) {
    const { deletedBefore, beginsSegment } = layout[i]!;
    if (beginsSegment) await finishSegment();
    for (let j = 0; j < deletedBefore; j++) {
      const content = deletedContents[(i + j) % deletedContents.length]!;
      builder.add(`d${String(deleted++).padStart(31, "0")}`, content);
    }
    live.push(builder.add(documents[i]!.id, documents[i]!.document));
  }
  await finishSegment();
  return segments;
}
