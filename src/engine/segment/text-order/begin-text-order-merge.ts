import { BuildingMemory } from "../../kernels/building-memory.js";
import type { EngineField } from "../../schema/engine-schema.js";
import { KernelTextOrderMerge } from "./kernel-text-order-merge.js";
import { PlainTextOrderMerge } from "./plain-text-order-merge.js";
import type { TextOrderMerge, TextOrderSource } from "./text-order-merge.js";

/** Fewer documents are done before kernels are. */
const DOCUMENTS_MIN = 512;

/** By kernels where there are kernels, and it is worth it. @param fields those that have an order, as they will be merged */
export function beginTextOrderMerge(
  fields: readonly EngineField[],
  sources: readonly TextOrderSource[],
): TextOrderMerge {
  const documents = sources.reduce((sum, source) => sum + source.documents.docCount, 0);
  const memory = fields.length === 0 || documents < DOCUMENTS_MIN ? null : BuildingMemory.take();
  return memory === null
    ? new PlainTextOrderMerge(fields, sources)
    : new KernelTextOrderMerge(memory, fields, sources);
}
