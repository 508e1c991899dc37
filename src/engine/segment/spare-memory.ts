import { forgetSpareBuffers } from "../bytes/spare-buffers.js";
import { BuildingMemory } from "../kernels/building-memory.js";

/** How much kernel memory the calling thread keeps for its next writes: 16 MiB at most, as it does unless told otherwise. */
export function limitSpareMemory(bytes: number): void {
  BuildingMemory.keepAtMost(bytes);
}

/**
 * What the calling thread keeps for its next writes: for one that rests. Some of it is the system's again with the next
 * collection.
 */
export function forgetSpareMemory(): void {
  BuildingMemory.forgetSpares();
  forgetSpareBuffers();
}
