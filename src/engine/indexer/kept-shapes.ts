import { createAnalyzer } from "../../analysis/create-analyzer.js";
import { ByteReader } from "../bytes/byte-reader.js";
import { ByteWriter } from "../bytes/byte-writer.js";
import { keepShapes } from "../bytes/keep-shapes.js";
import { GatheredBytes } from "../directory/gathered-bytes.js";
import { MemoryDirectory } from "../directory/memory-directory.js";
import { BuildingMemory } from "../kernels/building-memory.js";
import { defineSchema } from "../schema/define-schema.js";
import { DocumentIdSource } from "../schema/document-ids.js";
import { ContainerWriter } from "../segment/container/container-writer.js";
import { openSegment } from "../segment/open-segment.js";
import { TextMember } from "../segment/text-order/text-member.js";
import { TextPrefixes } from "../segment/text-order/text-prefixes.js";
import { ChunkedFile } from "./chunked-file.js";
import { DocumentsEncoding } from "./encoded-documents.js";
import { KernelPostings } from "./kernel-postings.js";
import { SegmentBuilder } from "./segment-builder.js";

/** A field of each kind that is written in its own way, and a document that has them all. */
const SCHEMA = defineSchema({ text: "text", keyword: "keyword", number: "u64", facet: "facet" });
const DOCUMENT = { text: "example", keyword: "example", number: 1, facet: "/example" };

/**
 * Keeps examples (`keepShapes`) of what the calling thread makes anew for each body that it encodes and for each segment
 * that it builds, reads or merges. To be called once, by a thread that does so for a living.
 */
export async function keepWritingShapes(): Promise<void> {
  const analyzer = createAnalyzer(SCHEMA.analyzer);
  const [documentId] = new DocumentIdSource().next(1);
  const build = (): SegmentBuilder => {
    const builder = new SegmentBuilder(SCHEMA, analyzer, true);
    builder.add(documentId!, DOCUMENT);
    return builder;
  };
  keepShapes(
    new ByteWriter(),
    new ByteReader(new Uint8Array(1)),
    new GatheredBytes(1),
    new ContainerWriter(),
    new ChunkedFile("example", []),
    new DocumentsEncoding(SCHEMA, 1),
    new TextMember("text"),
    new TextPrefixes(),
    build(),
    ...kernelShapes(),
  );
  const directory = new MemoryDirectory();
  const builder = build();
  try {
    await builder.write(directory, "example");
  } finally {
    builder.close();
  }
  keepShapes(await openSegment(directory, "example", SCHEMA, null));
}

function kernelShapes(): object[] {
  const memory = BuildingMemory.take(true);
  if (memory === null) return [];
  const [norms, positionWidths] = [new Uint8Array(1), new Uint8Array(1)];
  const lengths = { averageLength: 1.5, lengthMax: 1, termLengthMax: 1 };
  return [new KernelPostings(memory, { maxDoc: 1, norms, positionWidths, ...lengths })];
}
