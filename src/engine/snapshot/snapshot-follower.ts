import type { Directory } from "../directory/directory.js";
import { SearchCaches } from "../search/search-caches.js";
import { Searcher } from "../search/searcher.js";
import { type OpenSegment, openSharedSegment } from "../segment/open-segment.js";
import type { SharedSegment } from "../segment/shared-segment.js";
import type { HeldSearcher } from "./held-searcher.js";
import type { SharedSnapshot } from "./shared-snapshot.js";

/** A segment's data that is open here, and the views of it that snapshots hold. */
interface Followed {
  readonly first: OpenSegment;
  readonly views: Map<string, { readonly segment: OpenSegment; holds: number }>;
}

/**
 * One index in a thread that doesn't open it itself: makes searchers of the snapshots that another
 * thread shares. What a snapshot has in common with those that are held is not opened again, nor
 * counted and expanded again.
 */
export class SnapshotFollower {
  readonly #directory: Directory;
  readonly #threadNumber: number;
  readonly #caches = new SearchCaches();
  readonly #followed: Map<string, Followed> = new Map();
  #turn: Promise<unknown> = Promise.resolve();

  /** @param threadNumber of this thread, from 1: no two threads at a time have the same */
  constructor(directory: Directory, threadNumber: number) {
    this.#directory = directory;
    this.#threadNumber = threadNumber;
  }

  /** Whether nothing is held open. */
  get isEmpty(): boolean {
    return this.#followed.size === 0;
  }

  /** @throws CorruptionError if files of the snapshot are gone; FindlingError `storage_unavailable` */
  open(shared: SharedSnapshot): Promise<HeldSearcher> {
    // One after another, so that no segment is opened twice.
    const opening = this.#turn.then(() => this.#open(shared));
    this.#turn = opening.catch(() => undefined);
    return opening;
  }

  async #open({ schema, segments }: SharedSnapshot): Promise<HeldSearcher> {
    const held: SharedSegment[] = [];
    const release = (): void => {
      for (const segment of held.splice(0)) this.#release(segment);
    };
    try {
      const views: OpenSegment[] = [];
      for (const segment of segments) {
        if (!this.#followed.has(segment.data.key)) {
          const first = await openSharedSegment(this.#directory, schema, segment, this.#threadNumber);
          this.#followed.set(segment.data.key, { first, views: new Map() });
        }
        views.push(this.#hold(segment));
        held.push(segment);
      }
      return { searcher: new Searcher(views, schema, this.#caches), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  #hold(shared: SharedSegment): OpenSegment {
    const { first, views } = this.#followed.get(shared.data.key)!;
    let view = views.get(shared.key);
    if (view === undefined) {
      const isFirst = first.share().key === shared.key;
      views.set(shared.key, (view = { segment: isFirst ? first : first.viewOf(shared), holds: 0 }));
    }
    view.holds++;
    return view.segment;
  }

  #release({ data, key }: SharedSegment): void {
    const { first, views } = this.#followed.get(data.key)!;
    const view = views.get(key)!;
    if (--view.holds > 0) return;
    views.delete(key);
    if (views.size > 0) return;
    this.#followed.delete(data.key);
    first.close();
  }
}
