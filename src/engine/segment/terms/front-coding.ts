import { ByteReader } from "../../bytes/byte-reader.js";
import { ByteWriter } from "../../bytes/byte-writer.js";
import { MalformedBytesError } from "../../bytes/malformed-bytes-error.js";
import { packNumbers, unpackNumbers } from "../../bytes/packed-numbers.js";
import type { BuildingMemory } from "../../kernels/building-memory.js";
import { memoryFor, PACKING_MARGIN, packPlaced } from "../../kernels/pack-numbers.js";
import type { UnfoldedSection } from "../sections.js";
import type { SlicedWork } from "../sliced-work.js";
import { u32OfBytes } from "../u32-of-bytes.js";

const SHARED_MAX = 255;
const STRINGS_PER_STEP = 65_536;

/**
 * Ascending strings one after the other: how many bytes each shares with the one before, 255 at most, as
 * packed numbers behind their length in bytes (u32), then the rest of each.
 */
export function foldFrontCoded(bytes: Uint8Array, offsets: Uint32Array): Uint8Array {
  const memory = memoryFor(offsets.length - 1);
  if (memory === null) return foldPlainly(bytes, offsets);
  try {
    return foldByKernel(memory, bytes, offsets);
  } finally {
    memory.giveBack();
  }
}

function foldByKernel(memory: BuildingMemory, bytes: Uint8Array, offsets: Uint32Array): Uint8Array {
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

/** The same in plain TypeScript. */
function foldPlainly(bytes: Uint8Array, offsets: Uint32Array): Uint8Array {
  const count = offsets.length - 1;
  const shared = new Uint8Array(count);
  const rests = new Uint8Array(bytes.length);
  let restLength = 0;
  for (let i = 0; i < count; i++) {
    const start = offsets[i]!;
    const end = offsets[i + 1]!;
    let at = start;
    if (i > 0) {
      const limit = Math.min(start + SHARED_MAX, end);
      for (let before = offsets[i - 1]!; at < limit && before < start; at++, before++) {
        if (bytes[at] !== bytes[before]) break;
      }
    }
    shared[i] = at - start;
    while (at < end) rests[restLength++] = bytes[at++]!;
  }
  const packed = packNumbers(shared);
  const folded = new ByteWriter(packed.length + restLength + 4);
  folded.u32(packed.length);
  folded.bytes(packed);
  folded.bytes(rests.subarray(0, restLength));
  return folded.toBytes();
}

/** Needs the strings' offsets: of the section that is named like theirs, with `offsets` or `valueOffsets`. */
export function* unfoldFrontCoded(folded: Uint8Array, { name, target, other }: UnfoldedSection): SlicedWork {
  const isValues = name.endsWith("values");
  const offsets = u32OfBytes(other(name.replace(/[a-z]+$/, isValues ? "valueOffsets" : "offsets")));
  const count = offsets.length - 1;
  if (unfoldByKernel(folded, offsets, target)) return;
  const reader = new ByteReader(folded);
  const shared = new Uint8Array(count);
  const sharedLength = reader.u32();
  unpackNumbers(reader.bytes(sharedLength), shared);
  let rest = 4 + sharedLength;
  let before = 0;
  for (let i = 0; i < count; i++) {
    const start = offsets[i]!;
    const end = offsets[i + 1]!;
    const parting = start + shared[i]!;
    let at = start;
    while (at < parting) target[at++] = target[before++]!;
    while (at < end) target[at++] = folded[rest++]!;
    before = start;
    if (i % STRINGS_PER_STEP === STRINGS_PER_STEP - 1) yield;
  }
  if (rest !== folded.length)
    throw new MalformedBytesError(`section '${name}' has strings of another length`);
}

/** False, having done nothing, if there is no kernel or something doesn't fit, which plain code tells. */
function unfoldByKernel(folded: Uint8Array, offsets: Uint32Array, target: Uint8Array): boolean {
  const count = offsets.length - 1;
  const memory = memoryFor(count);
  if (memory === null) return false;
  try {
    const { functions } = memory;
    const sharedEnd = 4 + new ByteReader(folded).u32();
    const foldedAt = memory.place(folded);
    functions.allocate(PACKING_MARGIN);
    const offsetsAt = memory.place(offsets);
    const shared = functions.allocate(4 * count);
    const rests = foldedAt + sharedEnd;
    if (sharedEnd > folded.length || functions.unpackNumbers(foldedAt + 4, rests, shared, count) !== rests)
      return false;
    const bytes = functions.allocate(target.length);
    const end = foldedAt + folded.length;
    if (functions.frontDecode(shared, rests, end, offsetsAt, count, bytes, target.length) !== end)
      return false;
    target.set(memory.bytes.subarray(bytes, bytes + target.length));
    return true;
  } finally {
    memory.giveBack();
  }
}
