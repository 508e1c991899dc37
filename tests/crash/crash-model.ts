/**
 * What a client knows of an index after some answers and perhaps a crash: which documents must be
 * there, which may be. Documents are known by their `id`; every id is used once.
 */
export interface PendingWrite {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

export class CrashModel {
  committed: ReadonlySet<string> = new Set();
  /** Acknowledged since the last commit or rollback, in order. */
  #pending: PendingWrite[] = [];
  /** Sent, but not answered when the server died: each happened whole or not at all. */
  #uncertain: PendingWrite[] = [];
  #uncertainEnd: "commit" | "rollback" | null = null;

  acknowledge(write: PendingWrite): void {
    this.#pending.push(write);
  }

  acknowledgeCommit(): void {
    this.committed = apply(this.committed, this.#pending);
    this.#pending = [];
  }

  acknowledgeRollback(): void {
    this.#pending = [];
  }

  unanswered(write: PendingWrite): void {
    this.#uncertain.push(write);
  }

  unansweredEnd(kind: "commit" | "rollback"): void {
    this.#uncertainEnd = kind;
  }

  /** Documents that a client may delete now. */
  get visibleOrPending(): ReadonlySet<string> {
    return apply(this.committed, this.#pending);
  }

  /**
   * Judges what is there after a restart and takes it as the new truth.
   * @param visible ids found by a search before anything is committed
   * @param afterCommit ids found after committing whatever was pending
   * @returns what is wrong, empty if nothing
   */
  judge(visible: ReadonlySet<string>, afterCommit: ReadonlySet<string>): string[] {
    const problems: string[] = [];
    const ifCommitted = apply(this.committed, this.#pending);
    const commitHappened = this.#uncertainEnd === "commit" && equal(visible, ifCommitted);
    if (!commitHappened && !equal(visible, this.committed)) {
      problems.push(`visible after the restart: ${difference(visible, this.committed)}`);
    }
    const rollbackHappened = this.#uncertainEnd === "rollback" && equal(afterCommit, this.committed);
    if (!rollbackHappened) {
      // Adds and removes of unanswered writes touch ids of their own, so each is judged alone.
      const expected = new Set(ifCommitted);
      for (const write of this.#uncertain) {
        const added = write.add.filter((id) => afterCommit.has(id)).length;
        const removed = write.remove.filter((id) => !afterCommit.has(id)).length;
        const happened = write.add.length > 0 ? added > 0 : removed > 0;
        if (write.add.length > 0 && added !== 0 && added !== write.add.length) {
          problems.push(`an unanswered add came back in part: ${added} of ${write.add.length}`);
        }
        if (happened) {
          for (const id of write.add) expected.add(id);
          for (const id of write.remove) expected.delete(id);
        }
      }
      if (!equal(afterCommit, expected))
        problems.push(`pending after the restart: ${difference(afterCommit, expected)}`);
    }
    this.committed = afterCommit;
    this.#pending = [];
    this.#uncertain = [];
    this.#uncertainEnd = null;
    return problems;
  }
}

function apply(ids: ReadonlySet<string>, writes: readonly PendingWrite[]): ReadonlySet<string> {
  const result = new Set(ids);
  for (const { add, remove } of writes) {
    for (const id of add) result.add(id);
    for (const id of remove) result.delete(id);
  }
  return result;
}

function equal(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((id) => b.has(id));
}

function difference(actual: ReadonlySet<string>, expected: ReadonlySet<string>): string {
  const missing = [...expected].filter((id) => !actual.has(id));
  const extra = [...actual].filter((id) => !expected.has(id));
  return `${missing.length} missing (${missing.slice(0, 5).join(", ")}), ${extra.length} too many (${extra.slice(0, 5).join(", ")})`;
}
