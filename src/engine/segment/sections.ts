/**
 * A segment's index file is a set of named sections; every data structure writes and reads its own
 * and knows nothing of the others. Sections start at multiples of 64 bytes in the file, and so in
 * the buffer that the file is read into, so that typed arrays of any width can view them in place.
 * All numbers are little-endian.
 */
export interface SectionSink {
  /**
   * Adds a section. Names are unique, such as `f3.terms.offsets` (field ordinal 3). The bytes of a
   * typed array are taken as they are; the caller doesn't change it afterwards.
   */
  add(name: string, data: Uint8Array | Uint16Array | Uint32Array | Int32Array): void;
}

export interface SectionSource {
  has(name: string): boolean;
  /** Views onto the section. @throws CorruptionError if it is missing or its length is no multiple of the width */
  u8(name: string): Uint8Array;
  u16(name: string): Uint16Array;
  u32(name: string): Uint32Array;
  i32(name: string): Int32Array;
}
