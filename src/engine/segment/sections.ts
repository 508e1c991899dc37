import type { SlicedWork } from "./sliced-work.js";

/**
 * A segment's index file is a set of named sections; every data structure writes and reads its own
 * and knows nothing of the others. Sections start at multiples of 64 bytes in the file, and so in
 * the buffer that the file is read into, so that typed arrays of any width can view them in place.
 * All numbers are little-endian.
 */
export interface SectionSink {
  /**
   * Adds a section. Names are unique, such as `f3.terms.offsets` (field ordinal 3). The bytes of a
   * typed array are taken as they are, or those of several one behind the other; the caller doesn't change
   * them afterwards.
   */
  add(name: string, data: Uint8Array | Uint16Array | Uint32Array | Int32Array | readonly Uint8Array[]): void;
  /** Adds numbers that are packed in the file, and whole again once it is open. */
  addNumbers(name: string, data: Uint8Array | Uint16Array | Uint32Array | Int32Array): void;
  /**
   * Adds a section of `length` bytes that isn't in the file: when it is opened, it is made of `folded` and
   * of sections added before, as the encoding says.
   */
  addFolded(name: string, encoding: SectionEncoding, folded: Uint8Array, length: number): void;
}

/** How a section is written in the file; FORMAT.md says what each means. */
export const SECTION_ENCODINGS = {
  raw: 0,
  bytes: 1,
  shorts: 2,
  frontCoded: 3,
  words: 4,
  longs: 5,
  references: 6,
  positionReferences: 7,
  norms: 8,
  denseRanks: 9,
  tries: 10,
  /** Made together with another section. */
  withAnother: 11,
} as const;

export type SectionEncoding = (typeof SECTION_ENCODINGS)[keyof typeof SECTION_ENCODINGS];

/**
 * Makes a section of what is in the file, and of sections before it; null: it has been made in one go.
 *
 * @throws MalformedBytesError if it can't be made of them
 */
export type Unfold = (folded: Uint8Array, section: UnfoldedSection) => SlicedWork | null;

export interface UnfoldedSection {
  readonly name: string;
  /** The section's bytes, 0, at a multiple of 64 in their buffer. */
  readonly target: Uint8Array;
  /** Another section, in memory. @throws MalformedBytesError if it isn't there */
  other(name: string): Uint8Array;
}

export interface SectionSource {
  has(name: string): boolean;
  /** Views onto the section. @throws CorruptionError if it is missing or its length is no multiple of the width */
  u8(name: string): Uint8Array;
  u16(name: string): Uint16Array;
  u32(name: string): Uint32Array;
  i32(name: string): Int32Array;
  /** A section that has its place, but may have yet to be made; null if it is as it is read. */
  deferred(name: string): Deferred | null;
}

export interface Deferred {
  readonly isMade: boolean;
  /** @throws MalformedBytesError if it can't be made */
  make(): SlicedWork;
}
