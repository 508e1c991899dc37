import type { Cluster } from "./cluster.js";
import type { Collection } from "./collection.js";

/** Searches that are kept for others leave a point in time that nobody here holds: it may be shared so long. */
const SHARED_MS = 30_000;

interface PointInTime {
  id: string;
  holders: number;
  usedAt: number;
  /** Whether a search of it was kept for other processes. */
  isKept: boolean;
}

/** A point in time of the cluster as one search holds it. */
export interface HeldPoint {
  readonly id: string;
  /** Others may go on with it once it is let go. */
  keep(): void;
  letGo(): void;
}

/**
 * The cluster's points in time, of which it has few hundred: searches of the same indexes in the same generations share
 * one, whatever they ask. Those that are kept for other processes stay until nobody's cursor names them any more.
 */
export class PointsInTime {
  readonly #cluster: Cluster;
  readonly keepAliveMs: number;
  readonly #timeoutMs: number;
  readonly #points = new Map<string, PointInTime>();
  readonly #opening = new Map<string, Promise<PointInTime>>();

  /** @param options milliseconds that one stays unread, and that opening one may take */
  constructor(cluster: Cluster, options: { readonly keepAliveMs: number; readonly timeoutMs: number }) {
    this.#cluster = cluster;
    this.keepAliveMs = options.keepAliveMs;
    this.#timeoutMs = options.timeoutMs;
  }

  get keepAlive(): string {
    return `${Math.ceil(this.keepAliveMs / 1000)}s`;
  }

  /** @param isNew whether one that there is won't do, as the cluster has lost it */
  async hold(collection: Collection, isNew = false): Promise<HeldPoint> {
    const { key } = collection;
    const known = isNew ? undefined : this.#points.get(key);
    const isShared = known !== undefined && (known.holders > 0 || Date.now() - known.usedAt < SHARED_MS);
    const point = isShared ? known : await this.#open(key, collection.documents);
    point.holders++;
    let isHeld = true;
    return {
      id: point.id,
      keep() {
        point.isKept = true;
      },
      letGo: () => {
        if (!isHeld) return;
        isHeld = false;
        point.holders--;
        point.usedAt = Date.now();
        if (point.holders === 0 && !point.isKept) this.#close(key, point);
      },
    };
  }

  /** Closes what nobody here holds and no cursor names. */
  async clear(isNamed: (id: string) => Promise<boolean>): Promise<void> {
    for (const [key, point] of this.#points) {
      if (point.holders > 0 || Date.now() - point.usedAt < SHARED_MS) continue;
      if (!(await isNamed(point.id)) && point.holders === 0) this.#close(key, point);
    }
  }

  #open(key: string, documents: string): Promise<PointInTime> {
    let opening = this.#opening.get(key);
    if (opening === undefined) {
      opening = this.#openNow(key, documents).finally(() => this.#opening.delete(key));
      this.#opening.set(key, opening);
    }
    return opening;
  }

  async #openNow(key: string, documents: string): Promise<PointInTime> {
    const { body } = await this.#cluster.request<{ readonly pit_id: string }>(
      "POST",
      `/${documents}/_search/point_in_time`,
      {
        query: { keep_alive: this.keepAlive, allow_partial_pit_creation: false },
        timeoutMs: this.#timeoutMs,
      },
    );
    const point = { id: body.pit_id, holders: 0, usedAt: Date.now(), isKept: false };
    this.#points.set(key, point);
    return point;
  }

  #close(key: string, point: PointInTime): void {
    if (this.#points.get(key) === point) this.#points.delete(key);
    this.#cluster
      .request("DELETE", "/_search/point_in_time", { body: { pit_id: [point.id] }, accepts: [404] })
      .catch(() => undefined);
  }
}
