/**
 * Servers write, commit and roll back one index of a cluster that answers late, loses answers and carries out late what it
 * was sent in time; some servers die. Nothing lands in a generation after its commit, a write is in one whole or not at
 * all, and what was acknowledged is there. Time is simulated, and so is the cluster.
 */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FindlingError } from "../../errors/index.js";
import { committed, newState } from "./index-generations.js";
import type { IndexState, VersionedState } from "./index-states.js";
import type { Lease } from "./lease.js";
import { rolledBack, type WriteTurn, WriteTurns } from "./write-turns.js";
import { WriteWindow } from "./write-window.js";

/** How a cluster is: milliseconds that the requests of one kind take, and how many of a hundred take the longest. */
interface Weather {
  readonly stateMs: number;
  readonly slowStateMs: number;
  readonly bulkMs: number;
  readonly slowBulkMs: number;
  readonly slowPercent: number;
  readonly lostPercent: number;
}

/** A part of a write, as the cluster has it. */
interface Part {
  readonly write: number;
  readonly of: number;
  readonly generation: number;
  readonly operation: string;
}

interface Written {
  readonly parts: number;
  readonly invoked: number;
  acknowledged: boolean;
}

const STORAGE = "s";
/** What is sent arrives within so many milliseconds, or not at all. */
const TRANSIT_MS = 150;

class SimulatedCluster {
  state: IndexState = newState({ fields: {} } as unknown as IndexState["schema"]);
  seqNo = 0;
  commits = 0;
  readonly parts = new Map<string, Part>();
  readonly written = new Map<number, Written>();
  readonly rollbacks: { readonly from: number; to: number }[] = [];
  readonly violations: string[] = [];
  bulksUnderWay = 0;
  /** What the next bulk request takes. */
  nextBulkMs: number | undefined;
  /** When it is given up by who has sent it. */
  nextBulkLostMs: number | undefined;
  /** Whether no change of the state is carried out. */
  refusesChanges = false;
  readonly #weather: Weather;
  readonly #random: () => number;

  constructor(weather: Weather, random: () => number) {
    this.#weather = weather;
    this.#random = random;
  }

  compareAndSet(next: IndexState, expected: number): boolean {
    if (expected !== this.seqNo) return false;
    if (next.generation > this.state.generation) this.#noteCommit(next.generation);
    this.state = next;
    this.seqNo++;
    return true;
  }

  get present(): VersionedState {
    const { seqNo, state } = this;
    return { id: STORAGE, source: { content: "" }, primaryTerm: 1, seqNo, state };
  }

  stateMs(): number {
    return this.#ms(this.#weather.stateMs, this.#weather.slowStateMs);
  }

  bulkMs(): number {
    const { nextBulkMs } = this;
    this.nextBulkMs = undefined;
    if (nextBulkMs !== undefined) return nextBulkMs;
    return this.#ms(this.#weather.bulkMs, this.#weather.slowBulkMs);
  }

  isLost(): boolean {
    return this.#random() * 100 < this.#weather.lostPercent;
  }

  put(key: string, part: Part): void {
    if (part.generation <= this.state.generation && !this.parts.has(key))
      this.violations.push(`${key} of generation ${part.generation} came after its commit`);
    this.parts.set(key, part);
  }

  remove(isMeant: (part: Part) => boolean): void {
    for (const [key, part] of this.parts) if (isMeant(part)) this.parts.delete(key);
  }

  #noteCommit(generation: number): void {
    this.commits++;
    const counts = new Map<number, number>();
    for (const part of this.parts.values())
      if (part.generation <= generation) counts.set(part.write, (counts.get(part.write) ?? 0) + 1);
    for (const [write, count] of counts) {
      const { parts } = this.written.get(write)!;
      if (count !== parts)
        this.violations.push(`${count} of ${parts} parts of write ${write} in generation ${generation}`);
    }
  }

  #ms(usual: number, slow: number): number {
    const longest = this.#random() * 100 < this.#weather.slowPercent ? slow : usual;
    return 1 + this.#random() * longest;
  }
}

/** A server; once it is dead it hears nothing any more, and sends nothing. */
class SimulatedServer {
  readonly #cluster: SimulatedCluster;
  readonly #settles: boolean;
  readonly turns: WriteTurns;
  isDead = false;

  /** @param settles false: a planted fault, nobody waits for what others have sent */
  constructor(cluster: SimulatedCluster, name: string, settles = true) {
    this.#cluster = cluster;
    this.#settles = settles;
    const states = {
      require: () => this.#read(),
      change: (_: string, change: (state: IndexState) => IndexState, from?: VersionedState) =>
        this.#change(change, from),
    };
    this.turns = new WriteTurns(states, STORAGE, {
      server: name,
      window: new WriteWindow(),
      undoing: {
        settle: (turn) => this.#settle(turn),
        operations: async (operations, turn) => {
          await this.#settle(turn);
          await this.#asked(turn.lease, () =>
            cluster.remove(({ operation }) => operations.includes(operation)),
          );
        },
        rollback: (turn) => this.#undo(turn),
      },
    });
  }

  async write(number: number, parts: number): Promise<void> {
    const written: Written = { parts, invoked: Date.now(), acknowledged: false };
    this.#cluster.written.set(number, written);
    await this.turns.shared(async (turn) => {
      try {
        if (parts > 1) await turn.announce();
        const sent = Array.from({ length: parts }, (_, i) => this.#send(turn, number, i, parts));
        await Promise.allSettled(sent);
        await Promise.all(sent);
      } catch (error) {
        await turn.announce().catch(() => undefined);
        throw error;
      }
    });
    if (!this.isDead) written.acknowledged = true;
  }

  commit(): Promise<void> {
    return this.turns.alone(async (_, turn) => {
      await this.#asked(turn.lease, () => undefined);
      return { result: undefined, change: committed };
    });
  }

  rollback(): Promise<void> {
    return this.turns.alone(async (_, turn) => {
      await turn.change((now) => ({ ...now, isRollingBack: true }));
      await this.#undo(turn);
      return { result: undefined, change: rolledBack };
    });
  }

  async #settle({ lease }: WriteTurn): Promise<void> {
    if (!this.#settles) return;
    while ((await this.#asked(lease, () => this.#cluster.bulksUnderWay)) > 0) await this.#wait(50);
  }

  async #undo(turn: WriteTurn): Promise<void> {
    await this.#settle(turn);
    const rollback = { from: Date.now(), to: Infinity };
    this.#cluster.rollbacks.push(rollback);
    await this.#asked(turn.lease, () =>
      this.#cluster.remove(({ generation }) => generation === turn.pending),
    );
    rollback.to = Date.now();
  }

  /** As `StoredDocuments` sends: while the lease is valid, and again if that ends meanwhile. */
  async #asked<T>(lease: Lease, done: () => T, ms = () => this.#cluster.stateMs()): Promise<T> {
    for (;;) {
      await lease.valid();
      let isGivenUp = false;
      const forget = lease.whenGone(() => {
        isGivenUp = true;
      });
      await this.#wait(ms());
      forget();
      if (!isGivenUp) return done();
    }
  }

  async #send(turn: WriteTurn, write: number, part: number, of: number): Promise<void> {
    const { pending: generation, operation, lease } = turn;
    for (;;) {
      await lease.valid();
      let giveUp = (): void => undefined;
      const givenUp = new Promise<"given up">((resolve) => {
        giveUp = () => resolve("given up");
      });
      const forget = lease.whenGone(giveUp);
      const outcome = await Promise.race([
        givenUp,
        this.#bulk(`${write}/${part}`, { write, of, generation, operation }),
      ]);
      forget();
      if (outcome === "done") return;
      if (outcome === "lost") throw new FindlingError("storage_unavailable", "lost");
    }
  }

  /** What has been sent is carried out, whether or not anybody waits for it, and hears of it. */
  async #bulk(key: string, part: Part): Promise<"done" | "lost"> {
    const cluster = this.#cluster;
    const ms = cluster.bulkMs();
    const lostMs = cluster.nextBulkLostMs ?? (cluster.isLost() ? ms / 2 : undefined);
    cluster.nextBulkLostMs = undefined;
    if (this.isDead) return new Promise(() => undefined);
    const carriedOut = (async () => {
      await pause(Math.min(ms, TRANSIT_MS));
      cluster.bulksUnderWay++;
      await pause(ms);
      cluster.bulksUnderWay--;
      cluster.put(key, part);
    })();
    await this.#wait(lostMs ?? 1);
    if (lostMs !== undefined) return "lost";
    await carriedOut;
    await this.#wait(1);
    return "done";
  }

  async #read(): Promise<VersionedState> {
    await this.#wait(this.#cluster.stateMs() / 2);
    const { present } = this.#cluster;
    await this.#wait(this.#cluster.stateMs() / 2);
    return present;
  }

  async #change(
    change: (state: IndexState) => IndexState,
    from: VersionedState | undefined,
  ): Promise<VersionedState> {
    let present = from ?? (await this.#read());
    for (;;) {
      const next = change(present.state);
      if (next === present.state) return present;
      await this.#wait(this.#cluster.stateMs() / 2);
      if (this.#cluster.refusesChanges) throw new FindlingError("storage_unavailable", "refused");
      const isWritten = this.#cluster.compareAndSet(next, present.seqNo);
      const after = this.#cluster.present;
      const isLost = this.#cluster.isLost();
      await this.#wait(this.#cluster.stateMs() / 2);
      if (isLost) throw new FindlingError("storage_unavailable", "lost");
      if (isWritten) return after;
      present = after;
    }
  }

  async #wait(ms: number): Promise<void> {
    await pause(ms);
    if (this.isDead) await new Promise(() => undefined);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Numbers from 0 to 1 that follow from a seed (mulberry32, T. Ettinger). */
function randomNumbers(seed: number): () => number {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Lets servers work for a minute, of which the last may die, and then for another one in which they only come to an end. */
async function simulate(
  seed: number,
  weather: Weather,
  { dies = false, alonePercent = 30 }: { readonly dies?: boolean; readonly alonePercent?: number } = {},
): Promise<{ readonly cluster: SimulatedCluster; readonly refusals: readonly string[] }> {
  const random = randomNumbers(seed);
  const cluster = new SimulatedCluster(weather, random);
  const servers = ["a", "b", "c"].map((name) => new SimulatedServer(cluster, name));
  const refusals: string[] = [];
  const endsAt = Date.now() + 60_000;
  let writes = 0;
  const work = async (server: SimulatedServer): Promise<void> => {
    while (Date.now() < endsAt && !server.isDead) {
      await pause(random() * 1_500);
      const kind = random() * 100;
      try {
        if (kind >= alonePercent) await server.write(writes++, 1 + Math.floor(random() * 3));
        else if (kind > 5) await server.commit();
        else await server.rollback();
      } catch (error) {
        refusals.push((error as FindlingError).code ?? String(error));
      }
    }
  };
  const working = servers.flatMap((server) => [work(server), work(server)]);
  const ended = Promise.all(working.slice(0, dies ? 4 : 6));
  if (dies) {
    await vi.advanceTimersByTimeAsync(20_000 + random() * 10_000);
    servers[2]!.isDead = true;
  }
  await vi.advanceTimersByTimeAsync(150_000);
  await ended;
  await vi.advanceTimersByTimeAsync(20_000);
  const lost = [...cluster.written].filter(([number, { acknowledged, parts, invoked }]) => {
    const there = [...cluster.parts.values()].filter(({ write }) => write === number).length;
    return acknowledged && there < parts && !cluster.rollbacks.some(({ to }) => to >= invoked);
  });
  for (const [number] of lost) cluster.violations.push(`write ${number} was acknowledged, and is lost`);
  return { cluster, refusals };
}

const QUICK: Weather = {
  stateMs: 20,
  slowStateMs: 20,
  bulkMs: 100,
  slowBulkMs: 100,
  slowPercent: 0,
  lostPercent: 0,
};

describe("WriteTurns", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("before a quick cluster nothing is refused", async () => {
    const { cluster, refusals } = await simulate(1, QUICK);
    expect(cluster.violations).toEqual([]);
    expect(refusals).toEqual([]);
    expect(cluster.commits).toBeGreaterThan(10);
  });

  test("one server before a slow cluster is slow, and refused nothing", async () => {
    const random = randomNumbers(7);
    // Changes of the state take longer than a lease at first.
    const weather = { ...QUICK, stateMs: 3_500, slowStateMs: 6_000, slowPercent: 20, bulkMs: 4_000 };
    const cluster = new SimulatedCluster(weather, random);
    const server = new SimulatedServer(cluster, "a");
    const outcomes: Promise<unknown>[] = [];
    for (let i = 0; i < 12; i++) outcomes.push(server.write(i, 1 + (i % 3)));
    await vi.advanceTimersByTimeAsync(120_000);
    expect(await Promise.all(outcomes)).toHaveLength(12);
    const committing = server.commit();
    await vi.advanceTimersByTimeAsync(60_000);
    await committing;
    expect(cluster.violations).toEqual([]);
    expect(cluster.parts.size).toBe(24);
  });

  /** A server dies whose bulk request the cluster takes long for; another one commits. */
  async function commitAfterDeath({
    writesToo = false,
    diesToo = false,
    settles = true,
  }): Promise<SimulatedCluster> {
    const cluster = new SimulatedCluster(QUICK, randomNumbers(3));
    const [dying, other, committing] = ["a", "b", "c"].map(
      (name) => new SimulatedServer(cluster, name, settles),
    );
    cluster.nextBulkMs = 15_000;
    void dying!.write(0, 1);
    await vi.advanceTimersByTimeAsync(500);
    dying!.isDead = true;
    await vi.advanceTimersByTimeAsync(4_500);
    const written = writesToo ? other!.write(1, 2) : Promise.resolve();
    if (diesToo) void other!.commit();
    await vi.advanceTimersByTimeAsync(1_000);
    if (diesToo) other!.isDead = true;
    await written;
    const done = committing!.commit();
    await vi.advanceTimersByTimeAsync(30_000);
    await done;
    expect(cluster.commits).toBe(1);
    return cluster;
  }

  test.each([
    ["nobody else has written", {}],
    ["another one has written meanwhile", { writesToo: true }],
    ["another one has died that was waiting for it", { diesToo: true }],
  ])("what a server sent before it died is in no commit that was before it; %s", async (_, options) => {
    expect((await commitAfterDeath(options)).violations).toEqual([]);
  });

  test("nor is what a server gave up that lives, and couldn't say so", async () => {
    const cluster = new SimulatedCluster(QUICK, randomNumbers(3));
    const [failing, committing] = ["a", "b"].map((name) => new SimulatedServer(cluster, name));
    cluster.nextBulkMs = 15_000;
    cluster.nextBulkLostMs = 400;
    const failed = expect(failing!.write(0, 1)).rejects.toMatchObject({ code: "storage_unavailable" });
    await vi.advanceTimersByTimeAsync(350);
    cluster.refusesChanges = true;
    await vi.advanceTimersByTimeAsync(150);
    await failed;
    cluster.refusesChanges = false;
    await vi.advanceTimersByTimeAsync(500);
    const done = committing!.commit();
    await vi.advanceTimersByTimeAsync(30_000);
    await done;
    expect(cluster.commits).toBe(1);
    expect(cluster.violations).toEqual([]);
  });

  test("where nobody waits for it, it comes after the commit", async () => {
    expect((await commitAfterDeath({ settles: false })).violations).not.toEqual([]);
  });

  test.each([
    ["of which some answers are late", false],
    ["of which some answers are late, where a server dies", true],
  ])("before a cluster %s", async (_, dies) => {
    const weather = fc.record({
      stateMs: fc.constantFrom(20, 300, 2_000),
      slowStateMs: fc.constantFrom(1_000, 5_000, 9_000),
      bulkMs: fc.constantFrom(50, 1_000, 3_000),
      slowBulkMs: fc.constantFrom(2_000, 15_000),
      slowPercent: fc.constantFrom(5, 30),
      lostPercent: fc.constantFrom(0, 2, 20),
    });
    await fc.assert(
      fc.asyncProperty(fc.nat(), weather, async (seed, chosen) => {
        const { cluster } = await simulate(seed, chosen, { dies });
        expect(cluster.violations).toEqual([]);
      }),
      { numRuns: Number(process.env["FINDLING_TEST_RUNS"] ?? 8) },
    );
  });
});
