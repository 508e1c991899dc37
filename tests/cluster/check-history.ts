import type { Operation } from "./history.js";

export type HistoryVerdict =
  | { readonly isLinearizable: true; readonly steps: number }
  /** What can't have been, and where the search for an order got stuck. */
  | { readonly isLinearizable: false; readonly problem: string }
  /** The search was given up: too many calls have no answer. */
  | { readonly isLinearizable: null; readonly problem: string };

/** What one index holds: what searches see, and what they would see after a commit. */
interface Contents {
  readonly committed: DocumentSet;
  readonly pending: DocumentSet;
}

/** A step of an order that explains a history. */
interface Step {
  readonly operation: Operation;
  /** What it does to the contents; null where they contradict it. */
  apply(contents: Contents): Contents | null;
  readonly invoked: number;
  /** Infinity: it may be left out. */
  readonly returned: number;
}

const STEPS_MAX = 3_000_000;

/**
 * Looks for an order of a history's operations in which each takes effect at one moment between its call and its return,
 * and every read sees just what is committed at that moment: so commits are linearizable, reads are of whole snapshots
 * and never older than a commit that had returned, and what was rolled back is never seen. The search is that of J. Wing
 * and C. Gong, "Testing and verifying concurrent objects" (1993), with states remembered as by G. Lowe, "Testing for
 * linearizability" (2017). An operation without an answer takes effect at any time after its call, a write of several
 * documents in part as well, or never. After `stepsMax` steps the search is given up.
 */
export function checkHistory(
  operations: readonly Operation[],
  { stepsMax = STEPS_MAX }: { readonly stepsMax?: number } = {},
): HistoryVerdict {
  const torn = tornRead(operations);
  if (torn !== undefined) return { isLinearizable: false, problem: torn };
  return new OrderSearch(stepsOf(operations), stepsMax).run();
}

/** A depth-first search through the orders that real time leaves. */
class OrderSearch {
  readonly #steps: readonly Step[];
  readonly #stepsMax: number;
  readonly #isDone: Uint8Array;
  /** Those that may be left out. */
  readonly #optional: readonly number[];
  /** States from which nothing was found. */
  readonly #visited = new Set<string>();
  /** The first step that isn't done and must be. */
  #front = 0;
  #doneCount = 0;
  #count = 0;
  #deepest: { readonly done: number; readonly contents: Contents; readonly waiting: readonly Operation[] } = {
    done: -1,
    contents: { committed: DocumentSet.EMPTY, pending: DocumentSet.EMPTY },
    waiting: [],
  };

  constructor(steps: readonly Step[], stepsMax: number) {
    this.#steps = steps;
    this.#stepsMax = stepsMax;
    this.#isDone = new Uint8Array(steps.length);
    this.#optional = steps.flatMap(({ returned }, i) => (returned === Infinity ? [i] : []));
  }

  run(): HistoryVerdict {
    interface Frame {
      readonly contents: Contents;
      readonly candidates: readonly number[];
      next: number;
      /** Done to get here: the branch, then reads that fitted. */
      readonly taken: number[];
    }
    const enter = (contents: Contents, taken: number[]): Frame | "explained" | null => {
      this.#takeFittingReads(contents, taken);
      if (this.#advanceFront() === this.#steps.length) return "explained";
      const candidates = this.#candidates();
      if (this.#doneCount > this.#deepest.done) {
        this.#deepest = {
          done: this.#doneCount,
          contents,
          waiting: candidates.map((i) => this.#steps[i]!.operation),
        };
      }
      const key = `${this.#doneKey()} ${contents.committed.key} ${contents.pending.key}`;
      if (this.#visited.has(key)) return null;
      this.#visited.add(key);
      return { contents, candidates, next: 0, taken };
    };
    const first = enter({ committed: DocumentSet.EMPTY, pending: DocumentSet.EMPTY }, []);
    if (first === "explained") return { isLinearizable: true, steps: this.#count };
    const stack: Frame[] = first === null ? [] : [first];
    while (stack.length > 0) {
      const frame = stack.at(-1)!;
      const candidate = frame.candidates[frame.next++];
      if (candidate === undefined) {
        stack.pop();
        this.#undo(frame.taken);
        continue;
      }
      if (++this.#count > this.#stepsMax)
        return { isLinearizable: null, problem: `no verdict within ${this.#stepsMax} steps` };
      const contents = this.#steps[candidate]!.apply(frame.contents);
      if (contents === null) continue;
      const taken = [candidate];
      this.#do(candidate);
      const entered = enter(contents, taken);
      if (entered === "explained") return { isLinearizable: true, steps: this.#count };
      if (entered === null) this.#undo(taken);
      else stack.push(entered);
    }
    return { isLinearizable: false, problem: this.#describe() };
  }

  /** A read that fits now may come now: it changes nothing, and what it frees others from is only its own waiting. */
  #takeFittingReads(contents: Contents, taken: number[]): void {
    for (let hasTaken = true; hasTaken; ) {
      hasTaken = false;
      for (const i of this.#candidates()) {
        const step = this.#steps[i]!;
        if (step.operation.kind !== "read" || step.apply(contents) === null) continue;
        this.#do(i);
        taken.push(i);
        hasTaken = true;
      }
    }
  }

  /** Steps that began before any that isn't done has ended: those that must be done first. */
  #candidates(): readonly number[] {
    let earliestReturn = Infinity;
    const found: number[] = [];
    for (let i = this.#advanceFront(); i < this.#steps.length; i++) {
      const { invoked, returned } = this.#steps[i]!;
      if (invoked > earliestReturn) break;
      if (this.#isDone[i] === 1 || returned === Infinity) continue;
      found.push(i);
      if (returned < earliestReturn) earliestReturn = returned;
    }
    found.push(...this.#optional.filter((i) => this.#isDone[i] === 0));
    return found
      .filter((i) => this.#steps[i]!.invoked <= earliestReturn)
      .sort((a, b) => this.#steps[a]!.returned - this.#steps[b]!.returned || a - b);
  }

  #advanceFront(): number {
    while (this.#front < this.#steps.length) {
      const step = this.#steps[this.#front]!;
      if (this.#isDone[this.#front] === 0 && step.returned !== Infinity) break;
      this.#front++;
    }
    return this.#front;
  }

  #do(i: number): void {
    this.#isDone[i] = 1;
    this.#doneCount++;
  }

  #undo(taken: readonly number[]): void {
    for (const i of taken) {
      this.#isDone[i] = 0;
      this.#doneCount--;
      if (i < this.#front) this.#front = i;
    }
  }

  /** Which steps are done: all that must be before the front, and these. */
  #doneKey(): string {
    const front = this.#advanceFront();
    const last = this.#steps[front]?.returned ?? 0;
    const extra = this.#optional.filter((i) => this.#isDone[i] === 1);
    for (let i = front + 1; i < this.#steps.length && this.#steps[i]!.invoked <= last; i++) {
      if (this.#isDone[i] === 1 && this.#steps[i]!.returned !== Infinity) extra.push(i);
    }
    return `${front}:${extra.join()}`;
  }

  #describe(): string {
    const { contents, waiting, done } = this.#deepest;
    const reads = waiting.filter((operation) => operation.kind === "read");
    const lines = reads.map(({ documents, invoked, returned }) => {
      const seen = new Set(documents);
      const missing = contents.committed.names.filter((name) => !seen.has(name));
      const committed = new Set(contents.committed.names);
      const extra = documents.filter((name) => !committed.has(name));
      return `the read from ${invoked.toFixed(1)} to ${returned.toFixed(1)} ms lacks [${missing.join(" ")}] and has too much [${extra.join(" ")}]`;
    });
    const others = waiting.filter((operation) => operation.kind !== "read");
    return [
      `no order explains the history beyond ${done} of ${this.#steps.length} operations:`,
      ...lines,
      ...others.map(
        (operation) =>
          `waiting: ${JSON.stringify({ ...operation, invoked: Number(operation.invoked.toFixed(1)) })}`,
      ),
    ].join("\n");
  }
}

/** In the order of their calls. Writes without an answer are taken apart, and left out where nobody saw anything of them. */
function stepsOf(operations: readonly Operation[]): readonly Step[] {
  const seen = new Set(
    operations.flatMap((each) =>
      each.kind === "read" || (each.kind === "delete" && each.returned !== null) ? each.documents : [],
    ),
  );
  return operations.flatMap((operation) => stepsOfOne(operation, seen)).sort((a, b) => a.invoked - b.invoked);
}

function stepsOfOne(operation: Operation, seen: ReadonlySet<string>): readonly Step[] {
  const { invoked } = operation;
  const returned = operation.returned ?? Infinity;
  const step = (apply: Step["apply"]): Step => ({ operation, apply, invoked, returned });
  switch (operation.kind) {
    case "write":
      if (operation.returned !== null) return [step(adding(operation.documents))];
      return operation.documents.filter((name) => seen.has(name)).map((name) => step(adding([name])));
    case "delete":
      if (operation.returned !== null) return [step(deleting(operation.documents, operation.count))];
      return operation.documents.map((name) => step(deleting([name], 1)));
    case "commit":
      return [step(({ pending }) => ({ committed: pending, pending }))];
    case "rollback":
      return [step(({ committed }) => ({ committed, pending: committed }))];
    case "read": {
      const { key } = DocumentSet.EMPTY.with(operation.documents);
      return [step((contents) => (contents.committed.key === key ? contents : null))];
    }
  }
}

function adding(names: readonly string[]): Step["apply"] {
  return ({ committed, pending }) => ({ committed, pending: pending.with(names) });
}

function deleting(names: readonly string[], count: number): Step["apply"] {
  return ({ committed, pending }) => {
    const present = names.filter((name) => pending.has(name));
    return present.length === count ? { committed, pending: pending.without(present) } : null;
  };
}

/** Immutable, and known by a key: names in order. */
class DocumentSet {
  static readonly EMPTY: DocumentSet = new DocumentSet(new Set());
  readonly #names: ReadonlySet<string>;
  #key: string | undefined;

  private constructor(names: ReadonlySet<string>) {
    this.#names = names;
  }

  get key(): string {
    this.#key ??= [...this.#names].sort().join(" ");
    return this.#key;
  }

  get names(): readonly string[] {
    return [...this.#names];
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  with(names: readonly string[]): DocumentSet {
    return new DocumentSet(new Set([...this.#names, ...names]));
  }

  without(names: readonly string[]): DocumentSet {
    const left = new Set(this.#names);
    for (const name of names) left.delete(name);
    return new DocumentSet(left);
  }
}

/** Says at once, and more clearly, what no order can explain: a read with a part of one write that nobody deleted from. */
function tornRead(operations: readonly Operation[]): string | undefined {
  const deleted = new Set(operations.flatMap((each) => (each.kind === "delete" ? each.documents : [])));
  const writes = operations.filter(
    (each) =>
      each.kind === "write" && each.returned !== null && !each.documents.some((name) => deleted.has(name)),
  );
  for (const read of operations) {
    if (read.kind !== "read") continue;
    const seen = new Set(read.documents);
    if (seen.size < read.documents.length)
      return `a torn read: the one at ${read.invoked.toFixed(1)} ms has a document twice`;
    for (const write of writes) {
      if (write.kind !== "write") continue;
      const count = write.documents.filter((name) => seen.has(name)).length;
      if (count === 0 || count === write.documents.length) continue;
      return `a torn read: the one at ${read.invoked.toFixed(1)} ms has ${count} of the ${write.documents.length} documents [${write.documents.join(" ")}]`;
    }
  }
  return undefined;
}
