import type { EngineSchema } from "../schema/engine-schema.js";
import { SearchCaches } from "../search/search-caches.js";
import { Searcher } from "../search/searcher.js";
import type { OpenSegment } from "../segment/open-segment.js";
import type { HeldSearcher } from "./held-searcher.js";

/** The searcher of an index's last commit, where the index is written: one after the other, each until the next one. */
export class CurrentSearcher {
  readonly #schema: EngineSchema;
  readonly #committed: () => readonly OpenSegment[];
  /** What a snapshot has counted serves the next one where segments are the same. */
  readonly #caches = new SearchCaches();
  /** Held open for the searcher: the writer lets go of its own before there is a new one. */
  #segments: readonly OpenSegment[];
  #searcher: Searcher;

  /** @param committed gives the last commit's segments in insertion order, which stay their owner's */
  constructor(schema: EngineSchema, committed: () => readonly OpenSegment[]) {
    this.#schema = schema;
    this.#committed = committed;
    this.#segments = retained(committed());
    this.#searcher = new Searcher(this.#segments, schema, this.#caches);
  }

  get searcher(): Searcher {
    return this.#searcher;
  }

  /** To be called whenever segments have changed; returns the searcher of what is committed now. */
  renew(): Searcher {
    const previous = this.#segments;
    this.#segments = retained(this.#committed());
    this.#searcher = new Searcher(this.#segments, this.#schema, this.#caches);
    for (const segment of previous) segment.close();
    return this.#searcher;
  }

  /** The searcher to go on using, whatever becomes of this one. */
  hold(): HeldSearcher {
    let held = retained(this.#segments);
    return {
      searcher: this.#searcher,
      release() {
        for (const segment of held) segment.close();
        held = [];
      },
    };
  }

  /** The searcher is of no use any more; those that are held are. */
  close(): void {
    for (const segment of this.#segments) segment.close();
  }
}

function retained(segments: readonly OpenSegment[]): readonly OpenSegment[] {
  return segments.map((segment) => segment.retain());
}
