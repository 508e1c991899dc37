import { ContainerReader } from "../../src/engine/segment/container/container-reader.js";
import { ContainerWriter } from "../../src/engine/segment/container/container-writer.js";
import type { SectionSink } from "../../src/engine/segment/sections.js";
import { runWhole, type SlicedWork } from "../../src/engine/segment/sliced-work.js";

/** What `write` adds, open for reading without a file in between; for tests of single structures. */
export function reopenSections(write: (sink: SectionSink) => SlicedWork): ContainerReader {
  const writer = new ContainerWriter();
  runWhole(write(writer));
  const chunks = writer.chunks();
  const bytes = new Uint8Array(new SharedArrayBuffer(chunks.reduce((sum, chunk) => sum + chunk.length, 0)));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return runWhole(ContainerReader.open(bytes, "memory.idx"));
}
