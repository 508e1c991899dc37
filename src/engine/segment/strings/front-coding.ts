import { ByteReader } from "../../bytes/byte-reader.js";
import { MalformedBytesError } from "../../bytes/malformed-bytes-error.js";
import { BuildingMemory } from "../../kernels/building-memory.js";
import { PACKING_MARGIN, packPlaced } from "../../kernels/pack-numbers.js";
import type { UnfoldedSection } from "../sections.js";
import { u32OfBytes } from "../u32-of-bytes.js";

/**
 * Ascending strings one after the other: how many bytes each shares with the one before, 255 at most, as
 * packed numbers behind their length in bytes (u32), then the rest of each.
 */
export function foldFrontCoded(bytes: Uint8Array, offsets: Uint32Array): Uint8Array {
  const memory = BuildingMemory.borrow();
  try {
    return foldIn(memory, bytes, offsets);
  } finally {
    memory.giveBack();
  }
}

function foldIn(memory: BuildingMemory, bytes: Uint8Array, offsets: Uint32Array): Uint8Array {
  const { functions } = memory;
  const count = offsets.length - 1;
  const bytesAt = memory.place(bytes);
  const offsetsAt = memory.place(offsets);
  const shared = functions.allocate(count);
  const sharedWords = functions.allocate(4 * count);
  const rests = functions.allocate(bytes.length + PACKING_MARGIN);
  const restsEnd = functions.frontCode(bytesAt, offsetsAt, count, shared, rests);
  functions.widenNumbers(shared, 1, count, sharedWords);
  const packed = packPlaced(memory, sharedWords, count);
  const folded = new Uint8Array(4 + packed.length + restsEnd - rests);
  new DataView(folded.buffer).setUint32(0, packed.length, true);
  folded.set(packed, 4);
  folded.set(memory.bytes.subarray(rests, restsEnd), 4 + packed.length);
  return folded;
}

/** Needs the strings' offsets: of the section that is named like theirs, with `offsets` or `valueOffsets`. */
export function unfoldFrontCoded(folded: Uint8Array, { name, target, other }: UnfoldedSection): null {
  const isValues = name.endsWith("values");
  const offsets = u32OfBytes(other(name.replace(/[a-z]+$/, isValues ? "valueOffsets" : "offsets")));
  const memory = BuildingMemory.borrow();
  try {
    const { functions } = memory;
    const count = offsets.length - 1;
    const sharedEnd = 4 + new ByteReader(folded).u32();
    const foldedAt = memory.place(folded);
    functions.allocate(PACKING_MARGIN);
    const offsetsAt = memory.place(offsets);
    const shared = functions.allocate(4 * count);
    const rests = foldedAt + sharedEnd;
    const end = foldedAt + folded.length;
    const hasShared =
      sharedEnd <= folded.length && functions.unpackNumbers(foldedAt + 4, rests, shared, count) === rests;
    const bytes = functions.allocate(target.length);
    const isWhole =
      hasShared && functions.frontDecode(shared, rests, end, offsetsAt, count, bytes, target.length) === end;
    if (!isWhole) throw new MalformedBytesError(`section '${name}' has strings of another length`);
    target.set(memory.bytes.subarray(bytes, bytes + target.length));
    return null;
  } finally {
    memory.giveBack();
  }
}
