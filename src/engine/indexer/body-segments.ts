import { FindlingError } from "../../errors/index.js";
import type { EncodedDocuments } from "./encoded-documents.js";
import type { IndexSegments } from "./index-segments.js";
import type { PendingMemory } from "./pending-memory.js";
import type { WriterSegment } from "./writer-segment.js";

/** While fewer bodies than this come from commit to commit, each is made a segment of its own, as the commit would do. */
const BODIES_PER_COMMIT_MAX = 4;
/**
 * Bytes of documents' JSON: fewer hold up no commit, more would take too much memory beside what is pending. An
 * object so that tests can change it.
 */
export const writtenApart: { bytesMin: number; readonly bytesMax: number } = {
  bytesMin: 1 << 15,
  bytesMax: 4 << 20,
};
/** What a segment in the making takes, in bytes of JSON. */
const BUILDING_SIZE = 3;

/**
 * Makes segments of bodies before they are recorded, if commits come so often that they make as many anyway: what
 * is committed meanwhile waits for the next slice only, not for all of a body's documents.
 */
export class BodySegments {
  readonly #segments: IndexSegments;
  readonly #pendingMemory: PendingMemory;
  /** Bodies, made segments of or not, since the last commit, and between the two before. */
  #sinceCommit = 0;
  #perCommit: number = Number.POSITIVE_INFINITY;

  constructor(segments: IndexSegments, pendingMemory: PendingMemory) {
    this.#segments = segments;
    this.#pendingMemory = pendingMemory;
  }

  /** Whether this body is to be made a segment; to be asked once for each. */
  takes({ json: { length } }: EncodedDocuments): boolean {
    const isOften = Math.max(this.#sinceCommit++, this.#perCommit) < BODIES_PER_COMMIT_MAX;
    const { bytesMin, bytesMax } = writtenApart;
    return isOften && length >= bytesMin && length <= bytesMax;
  }

  noteCommit(): void {
    this.#perCommit = this.#sinceCommit;
    this.#sinceCommit = 0;
  }

  /**
   * Others may use the index between slices.
   *
   * @returns null where the disk doesn't take it: whether it takes the documents is the journal's to say
   */
  async write(
    encoded: EncodedDocuments,
    name: string,
    between: () => Promise<void> | null,
  ): Promise<WriterSegment | null> {
    const giveBack = this.#pendingMemory.lend(BUILDING_SIZE * encoded.json.length);
    try {
      return await this.#segments.writeApart(encoded, name, between);
    } catch (error) {
      if (error instanceof FindlingError && error.code === "storage_unavailable") return null;
      throw error;
    } finally {
      giveBack();
    }
  }
}
