import { MalformedBytesError } from "../../bytes/malformed-bytes-error.js";
import { mappedBytes } from "../../bytes/mapped-bytes.js";
import { releaseBuffer } from "../../bytes/release-buffer.js";
import { growImage } from "../../kernels/image-memory.js";
import { SECTION_ENCODINGS } from "../sections.js";
import type { SlicedWork } from "../sliced-work.js";
import { unfoldOf } from "../unfold-sections.js";
import { alignedUp, SECTION_ALIGNMENT } from "./container-format.js";
import { type TableEntry, tableAndFooter } from "./container-table.js";
import { DEFERRED_HEADER_BYTES, deferredName } from "./deferred-section.js";

/** A container whose sections are all as they are used. */
export interface Image {
  readonly bytes: Uint8Array<SharedArrayBuffer>;
  /** By name, in the image's order. */
  readonly entries: ReadonlyMap<string, TableEntry>;
}

/**
 * Makes an image of a checked file: the same container with no section folded. What is folded in the file
 * lies at its end and gives way to what it becomes, in the same memory, so that the rest stays where it is.
 * Tries get their place only, which takes no memory while it is 0: `DeferredSection` makes them.
 *
 * @param entries by name, in the file's order; those that are folded come last
 * @throws MalformedBytesError if a section can't be unfolded
 */
export function* unfoldContainer(
  file: Uint8Array<SharedArrayBuffer>,
  entries: ReadonlyMap<string, TableEntry>,
): SlicedWork<Image> {
  const imageEntries = new Map<string, TableEntry>();
  const folded: TableEntry[] = [];
  for (const entry of entries.values()) {
    if (entry.encoding === SECTION_ENCODINGS.raw) imageEntries.set(entry.name, entry);
    else folded.push(entry);
  }
  if (folded.length === 0) return { bytes: file, entries };
  const foldedStart = folded[0]!.offset;
  const foldedLength = file.length - foldedStart;
  const foldedBytes = mappedBytes(foldedLength);
  foldedBytes.set(file.subarray(foldedStart));

  let end = foldedStart;
  const place = (name: string, length: number): void => {
    const offset = alignedUp(end, SECTION_ALIGNMENT);
    end = offset + length;
    imageEntries.set(name, {
      name,
      offset,
      length,
      checksum: 0,
      encoding: SECTION_ENCODINGS.raw,
      unfoldedLength: length,
    });
  };
  for (const { name, length, encoding, unfoldedLength } of folded) {
    place(name, unfoldedLength);
    if (encoding === SECTION_ENCODINGS.tries) place(deferredName(name), DEFERRED_HEADER_BYTES + length);
  }
  const tableOffset = alignedUp(end, SECTION_ALIGNMENT);
  const table = tableAndFooter([...imageEntries.values()], tableOffset);
  const image = growImage(file, foldedStart, tableOffset + table.length);
  image.set(table, tableOffset);
  yield;

  const other = (name: string): Uint8Array => {
    const entry = imageEntries.get(name);
    if (entry === undefined) throw new MalformedBytesError(`section '${name}' is missing`);
    return image.subarray(entry.offset, entry.offset + entry.length);
  };
  for (const { name, offset, length, encoding } of folded) {
    const from = offset - foldedStart;
    const payload = foldedBytes.subarray(from, from + length);
    if (encoding === SECTION_ENCODINGS.tries) {
      other(deferredName(name)).set(payload, DEFERRED_HEADER_BYTES);
      continue;
    }
    const work = unfoldOf(encoding)(payload, { name, target: other(name), other });
    if (work !== null) yield* work;
    yield;
  }
  releaseBuffer(foldedBytes.buffer);
  return { bytes: image, entries: imageEntries };
}
