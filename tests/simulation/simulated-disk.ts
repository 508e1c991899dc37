import type { SeededRandom } from "../setup/seeded-random.js";
import { PAGE_LENGTH, type SimulatedFile } from "./simulated-file.js";

/** What a name stands for; null for nothing. */
type Binding = SimulatedFile | null;

/**
 * A folder on a disk. Which names exist is as undecided as the files' content until `sync`: of each
 * name, a power loss leaves the binding that was synced last or any later one.
 */
export class SimulatedDisk {
  readonly #names = new Map<string, SimulatedFile>();
  readonly #durableNames = new Map<string, SimulatedFile>();
  /** Bindings since the last sync, oldest first. */
  readonly #changes = new Map<string, Binding[]>();

  names(): string[] {
    return [...this.#names.keys()].sort();
  }

  file(name: string): SimulatedFile | undefined {
    return this.#names.get(name);
  }

  bind(name: string, file: Binding): void {
    if (file === null) this.#names.delete(name);
    else this.#names.set(name, file);
    const changes = this.#changes.get(name) ?? [];
    changes.push(file);
    this.#changes.set(name, changes);
  }

  /** Makes all names durable as they are now. */
  syncNames(): void {
    for (const name of this.#changes.keys()) {
      const file = this.#names.get(name);
      if (file === undefined) this.#durableNames.delete(name);
      else this.#durableNames.set(name, file);
    }
    this.#changes.clear();
  }

  /** Bytes that the files take. */
  get usedBytes(): number {
    let pages = 0;
    for (const file of this.#names.values()) pages += file.usedPages;
    return pages * PAGE_LENGTH;
  }

  afterPowerLoss(random: SeededRandom): SimulatedDisk {
    const left = new SimulatedDisk();
    const names = new Set([...this.#durableNames.keys(), ...this.#changes.keys()]);
    for (const name of [...names].sort()) {
      const durable: Binding = this.#durableNames.get(name) ?? null;
      const kept = random.pick([durable, ...(this.#changes.get(name) ?? [])]);
      if (kept !== null) left.bind(name, kept.afterPowerLoss(random));
    }
    left.syncNames();
    return left;
  }
}
