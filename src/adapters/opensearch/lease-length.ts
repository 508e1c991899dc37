/** How long a server may write, or hold an index alone, without saying again that it does: others wait so long for one that died. */
const LEASE_MS = 2_500;
const LEASE_MAX_MS = 12_000;
/** A lease outlasts the changes that may have to be made within it by so much, for a machine that is busy. */
const MORE_THAN_CHANGES_MS = 1_000;
const RENEW_MS = 500;
/** So much of what was measured before is believed with each new measurement, so that one quick answer isn't the rule. */
const KEPT_SHARE = 0.7;
/** How often a change that goes wrong is to fit into a lease. */
const CHANGES_WITHIN = 3;

/**
 * How long leases are, by how long the cluster takes to note them: one that is renewed in time doesn't hold up what is
 * written, and one that is longer than that holds up others.
 */
export class LeaseLength {
  #changeMs = 0;

  /** A change of the state took so many milliseconds, or has taken so many without an answer. */
  noteChange(ms: number): void {
    this.#changeMs = Math.max(ms, this.#changeMs * KEPT_SHARE);
  }

  get ms(): number {
    return Math.min(LEASE_MAX_MS, Math.max(LEASE_MS, MORE_THAN_CHANGES_MS + CHANGES_WITHIN * this.#changeMs));
  }

  /** When a renewal follows another, also one that isn't through: it may have been lost. */
  get renewMs(): number {
    return Math.min(this.ms / 4, Math.max(RENEW_MS, 1.5 * this.#changeMs));
  }
}
