import { forgetSpareBuffers } from "../bytes/spare-buffers.js";
import { BuildingMemory } from "../kernels/building-memory.js";

/**
 * What the calling thread keeps for its next writes: for one that rests. Some of it is the system's again with the next
 * collection.
 */
export function forgetSpareMemory(): void {
  BuildingMemory.forgetSpares();
  forgetSpareBuffers();
}
