/** Orders that are remembered at a time. */
const ORDERS_MAX = 8;

/** How far an order was walked, and how many matches were among the documents passed. */
interface Walk {
  readonly passed: number;
  readonly found: number;
}

/** Orders of a snapshot that something's documents are far behind in, so that none is walked to them twice. */
export class WalksInVain {
  #byOrder: Map<string, Walk> | null = null;

  /** Whether so many of its documents are known not to be among as many of an order as may be passed. */
  has(order: string, wanted: number, passedMax: number): boolean {
    const walk = this.#byOrder?.get(order);
    return walk !== undefined && wanted > walk.found && passedMax <= walk.passed;
  }

  /** @param passed Infinity: there are no more that could be */
  add(order: string, passed: number, found: number): void {
    this.#byOrder ??= new Map();
    if (this.#byOrder.size >= ORDERS_MAX && !this.#byOrder.has(order)) this.#byOrder.clear();
    this.#byOrder.set(order, { passed, found });
  }
}
