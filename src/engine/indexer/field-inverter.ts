import type { SectionSink } from "../segment/sections.js";
import type { SlicedWork } from "../segment/sliced-work.js";

/**
 * Inverts one text field in memory: takes the documents' values, writes dictionary, postings and positions.
 * Whoever does it writes the same bytes.
 */
export interface FieldInverter {
  /** Memory in bytes, with what `write` will take, but for what lies in a memory that inverters share. */
  readonly bytesUsed: number;

  /**
   * Adds a value's tokens. Documents come in ascending order, the values of one document one after the
   * other.
   *
   * @param positionBase 0 for a document's first value, then what the call before returned
   * @returns where the document's next value starts: a gap behind this one
   * @throws FindlingError `invalid_document` if the document's values take more than 2^31 positions
   */
  addValue(docId: number, text: string, positionBase: number): number;

  /** Takes the memory that `write` is about to want at once: growing it is a reason to collect garbage each time. */
  reserve(): void;

  /**
   * Writes the field's sections, or nothing if there was no token. Changes nothing: after a failure to
   * store them the inverter can go on.
   *
   * @param maxDoc greater than every doc id added
   */
  write(sink: SectionSink, prefix: string, maxDoc: number): SlicedWork;
}

/** A stream of tokens can tell positions below this apart from words. */
export const POSITION_MAX = 0x7fff_ffff;
