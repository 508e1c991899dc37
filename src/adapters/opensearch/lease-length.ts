/** How long a server may write, or hold an index alone, without saying again that it does: others wait so long for one that died. */
const LEASE_MS = 2_500;
const LEASE_MAX_MS = 12_000;
/** What a lease has left at least where a write begins. */
const BEGUN_BEFORE_END_MS = 1_000;
const RENEW_MS = 500;
/** So much of what was measured before is believed with each new measurement, so that one quick answer isn't the rule. */
const KEPT_SHARE = 0.7;
/** How often a change that goes wrong is to fit into a lease. */
const CHANGES_WITHIN = 3;

/**
 * How long leases are, by how long the cluster takes to note them: a lease is of use only if it outlasts its own renewal,
 * and no longer than that, since others wait for it.
 */
export class LeaseLength {
  #changeMs = 0;

  /** A change of the state took so many milliseconds. */
  noteChange(ms: number): void {
    this.#changeMs = Math.max(ms, this.#changeMs * KEPT_SHARE);
  }

  get ms(): number {
    return Math.min(LEASE_MAX_MS, Math.max(LEASE_MS, BEGUN_BEFORE_END_MS + CHANGES_WITHIN * this.#changeMs));
  }

  /** What is left at least of a lease with which work begins: its renewal has to come through before its end. */
  get leastMs(): number {
    return Math.min(this.ms / 2, Math.max(BEGUN_BEFORE_END_MS, 1.5 * this.#changeMs));
  }

  /** When a renewal follows another, also one that isn't through: it may have been lost. */
  get renewMs(): number {
    return Math.min(this.ms / 4, Math.max(RENEW_MS, 1.5 * this.#changeMs));
  }
}
