import type { Directory } from "../directory/directory.js";
import type { EngineSchema } from "../schema/engine-schema.js";
import { type OpenSegment, openSegment, segmentFileNames } from "../segment/open-segment.js";
import { runInSlices } from "../segment/sliced-work.js";
import { makeWantedTries } from "../segment/wanted-tries.js";
import { WriterSegment } from "./writer-segment.js";

/**
 * Segments that were flushed since the last commit and that nobody has looked at yet. Only a delete or a
 * commit does, and until then they take disk space and no memory: a load may be as large as it likes.
 */
export class FlushedSegments {
  readonly #directory: Directory;
  readonly #schema: EngineSchema;
  #unopened: { readonly name: string; readonly bytes: number }[] = [];

  constructor(directory: Directory, schema: EngineSchema) {
    this.#directory = directory;
    this.#schema = schema;
  }

  get isEmpty(): boolean {
    return this.#unopened.length === 0;
  }

  /** What their files take. */
  get bytes(): number {
    return this.#unopened.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  get fileNames(): string[] {
    return this.#unopened.flatMap(({ name }) => segmentFileNames(name));
  }

  /** The next one in insertion order, whose files are written. */
  add(name: string, bytes: number): void {
    this.#unopened.push({ name, bytes });
  }

  /**
   * Opens them one after the other. They belong to the caller, and are none of these any more.
   *
   * @param committed those that searches see
   * @param take is given each, in insertion order
   * @throws as `openSegment`; those that were not given are still here
   */
  async open(committed: readonly OpenSegment[], take: (segment: WriterSegment) => void): Promise<void> {
    for (let next = this.#unopened[0]; next !== undefined; next = this.#unopened[0]) {
      const { name, bytes } = next;
      const reader = await openSegment(this.#directory, name, this.#schema, null);
      await runInSlices(makeWantedTries(reader, committed));
      this.#unopened.shift();
      take(new WriterSegment(reader, "flushed", bytes, null));
    }
  }

  /** Forgets them. */
  clear(): void {
    this.#unopened = [];
  }
}
