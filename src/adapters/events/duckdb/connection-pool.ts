import type { DuckDBConnection } from "@duckdb/node-api";

/**
 * Connections that one caller at a time uses. A query runs on one of libuv's four threads, which file
 * access needs too, so there must be few.
 */
export class ConnectionPool {
  readonly #all: readonly DuckDBConnection[];
  readonly #free: DuckDBConnection[];
  readonly #waiting: ((connection: DuckDBConnection) => void)[] = [];

  constructor(connections: readonly DuckDBConnection[]) {
    this.#all = connections;
    this.#free = [...connections];
  }

  async use<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
    const connection = await this.take();
    try {
      return await work(connection);
    } finally {
      this.giveBack(connection);
    }
  }

  /** Waits for a connection, which must be given back. */
  take(): Promise<DuckDBConnection> {
    const free = this.#free.pop();
    if (free !== undefined) return Promise.resolve(free);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  giveBack(connection: DuckDBConnection): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(connection);
    else next(connection);
  }

  /** Ends what is running, with an error for whoever waits for it. */
  interrupt(): void {
    for (const connection of this.#all) connection.interrupt();
  }

  /** Resolves once every connection has been given back; they are closed then. */
  async close(): Promise<void> {
    for (const _ of this.#all) await this.take();
    for (const connection of this.#all) connection.closeSync();
  }
}
