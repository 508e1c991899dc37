import { SECTION_ENCODINGS, type UnfoldedSection } from "../sections.js";
import type { SlicedWork } from "../sliced-work.js";
import { unfoldOf } from "../unfold-sections.js";

/** Before what it is made of: whether it has been made, as u32, and nothing else, so that the rest is aligned. */
export const DEFERRED_HEADER_BYTES = 64;

const MADE = 1;

/** The name of the section of an image that holds what another one is made of. No file has it. */
export const deferredName = (name: string): string => `${name}.deferred`;

export const isDeferredName = (name: string): boolean => name.endsWith(".deferred");

/**
 * A section that has its place in an image, but is only made once somebody wants it, in whichever thread that
 * is: tries are as long as all else that is made of terms, and whoever never looks for misspelt words needs none.
 *
 * Several threads may make it at the same time, as each writes the same. Who waited for another would wait for
 * ever if that one was terminated.
 */
export class DeferredSection {
  readonly #section: UnfoldedSection;
  readonly #folded: Uint8Array;
  readonly #state: Int32Array;
  #isMade = false;
  /** What this thread has begun and not finished. */
  #begun: SlicedWork | null = null;

  /** @param held what `deferredName` names */
  constructor(section: UnfoldedSection, held: Uint8Array) {
    this.#section = section;
    this.#folded = held.subarray(DEFERRED_HEADER_BYTES);
    this.#state = new Int32Array(held.buffer, held.byteOffset, 1);
  }

  /** Whether it can be read, and what is made along with it. */
  get isMade(): boolean {
    this.#isMade ||= Atomics.load(this.#state, 0) === MADE;
    return this.#isMade;
  }

  /**
   * Goes on with what this thread has begun: who gives it up leaves it to the next.
   *
   * @throws MalformedBytesError if it can't be made of what there is
   */
  *make(): SlicedWork {
    while (!this.isMade) {
      if (this.#advance()) {
        Atomics.store(this.#state, 0, MADE);
        this.#isMade = true;
      } else {
        yield;
      }
    }
    // Another thread may have been first.
    this.#begun?.return();
    this.#begun = null;
  }

  /** A step. @returns whether it was the last one */
  #advance(): boolean {
    try {
      this.#begun ??= unfoldOf(SECTION_ENCODINGS.tries)(this.#folded, this.#section);
      return this.#begun === null || this.#begun.next().done === true;
    } catch (error) {
      this.#begun = null;
      throw error;
    }
  }
}
