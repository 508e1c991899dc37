import type { Catalog, CatalogKey } from "../../ports/catalog.js";
import type { Clock } from "../../ports/clock.js";
import type { Logger } from "../../ports/logger.js";

export interface KeyUsesPorts {
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** From a key's use until it is written down: uses are many, and writes of the catalog dear. */
const WRITE_DELAY_MS = 600_000;

/** Uses that follow the written one this closely say nothing new. */
const WORTH_WRITING_MS = 60_000;

/**
 * When each stored key was last used: noted in memory with every request, written at most every ten minutes and at the
 * stop. A crash, or another server that keeps its keys in the same storage, is behind by that much.
 */
export class KeyUses {
  readonly #ports: KeyUsesPorts;
  /** Milliseconds since the Unix epoch by the id of the key; of no more keys than there are. */
  readonly #lastMs = new Map<string, number>();
  #alarm: { cancel(): void } | undefined;

  constructor(ports: KeyUsesPorts) {
    this.#ports = ports;
  }

  note(id: string, nowMs: number): void {
    this.#lastMs.set(id, nowMs);
    this.#alarm ??= this.#ports.clock.after(WRITE_DELAY_MS, () => void this.#write());
  }

  /** The later of what is remembered and what is written; undefined for a key that was never used. */
  lastOf({ id, last_used_at: written }: CatalogKey): string | undefined {
    const remembered = this.#lastMs.get(id);
    if (remembered === undefined) return written;
    return remembered > msOf(written) ? new Date(remembered).toISOString() : written;
  }

  /** Writes what is remembered, while the catalog is still open. */
  async stop(): Promise<void> {
    this.#alarm?.cancel();
    await this.#write();
  }

  async #write(): Promise<void> {
    this.#alarm = undefined;
    const uses = new Map<string, string>();
    for (const [id, lastMs] of this.#lastMs) {
      const key = this.#ports.catalog.key(id);
      if (key === undefined) this.#lastMs.delete(id);
      else if (lastMs - msOf(key.last_used_at) >= WORTH_WRITING_MS)
        uses.set(id, new Date(lastMs).toISOString());
    }
    if (uses.size === 0) return;
    try {
      await this.#ports.catalog.noteKeyUses(uses);
    } catch (error) {
      // The next use brings the next attempt.
      this.#ports.logger.warn("when access keys were last used could not be written", {}, error);
    }
  }
}

function msOf(instant: string | undefined): number {
  return instant === undefined ? Number.NEGATIVE_INFINITY : Date.parse(instant);
}
