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
import { runInSlices } from "../segment/sliced-work.js";
import { FieldTermsWriter } from "../segment/terms/field-terms-writer.js";
import { TextMember } from "../segment/text-order/text-member.js";
import { ChunkedFile } from "./chunked-file.js";
import { DocumentsEncoding, encodeHere, releaseEncoded } from "./encoded-documents.js";
import { SegmentBuilder } from "./segment-builder.js";

/** A field of each kind that is written in its own way, and a document that has them all. */
const SCHEMA = defineSchema({ text: "text", keyword: "keyword", number: "u64", facet: "facet" });
const DOCUMENT = { text: "example", keyword: "example", number: 1, facet: "/example" };
/** Enough for a builder to read them as it reads many. */
const DOCUMENT_COUNT = 32;

/**
 * Keeps examples (`keepShapes`) of what the calling thread makes anew for each body that it encodes and for each segment
 * that it builds, reads or merges. To be called once, by a thread that does so for a living.
 */
export async function keepWritingShapes(): Promise<void> {
  const analyzer = createAnalyzer(SCHEMA.analyzer);
  const ids = new DocumentIdSource().next(DOCUMENT_COUNT);
  const documents = ids.map(() => DOCUMENT);
  const build = async (): Promise<SegmentBuilder> => {
    const encoded = await runInSlices(encodeHere(SCHEMA, ids, documents));
    const builder = new SegmentBuilder(SCHEMA, analyzer, true);
    builder.addEncoded(encoded, 0, DOCUMENT_COUNT);
    releaseEncoded(encoded);
    return builder;
  };
  keepShapes(
    new ByteWriter(),
    new ByteReader(new Uint8Array(1)),
    new GatheredBytes(1),
    new ContainerWriter(),
    new ChunkedFile("example", []),
    new DocumentsEncoding(SCHEMA, 1),
    new TextMember("text", true),
    await build(),
    ...kernelShapes(),
  );
  const directory = new MemoryDirectory();
  const builder = await build();
  try {
    await builder.write(directory, "example");
  } finally {
    builder.close();
  }
  keepShapes(await openSegment(directory, "example", SCHEMA, null));
}

function kernelShapes(): object[] {
  const memory = BuildingMemory.take(true);
  const [norms, positionWidths] = [new Uint8Array(1), new Uint8Array(1)];
  const lengths = { averageLength: 1.5, lengthMax: 1, termLengthMax: 1 };
  return [new FieldTermsWriter(memory, { maxDoc: 1, norms, positionWidths, ...lengths })];
}
