import type { SearchCaller } from "../../ports/search-backend.js";
import type { Cluster } from "./cluster.js";
import { clusterError, itemError } from "./cluster-errors.js";
import { allOf, anyOf, type Dsl } from "./dsl.js";
import { liveAt, livesAt } from "./index-generations.js";
import { partOf } from "./index-mapping.js";

/** An index's storage in one state. */
export interface SearchedStorage {
  readonly storageId: string;
  readonly generation: number;
  /** The cluster's index of its documents, and of its words. */
  readonly documents: string;
  readonly words: string;
}

/** A count of some of the shards would be remembered as one of all. */
const WHOLE: Dsl = { allow_partial_search_results: false };
const COUNTS_TOGETHER = 200;
const KEPT_COUNTS_MAX = 100_000;
const WORDS_MAX = 10_000;

/** Counts that were looked up, by what was counted in which states: those never change. */
export class KeptCounts {
  readonly #counts = new Map<string, number>();

  get(key: string): number | undefined {
    return this.#counts.get(key);
  }

  set(key: string, count: number): void {
    if (this.#counts.size >= KEPT_COUNTS_MAX) this.#counts.clear();
    this.#counts.set(key, count);
  }
}

/**
 * What several counts are taken from in one search: whatever any of them matches, where each is of one word, since the
 * cluster bounds the parts of a query; or the same object with each, which all of their matches match.
 */
type CountedAmong = "words" | Dsl;

interface WaitingCount {
  readonly query: Dsl;
  readonly key: string;
  readonly among: CountedAmong | undefined;
  settle(count: number): void;
  fail(error: unknown): void;
}

/** A word that an index has, and in which of its fields. */
export interface IndexedWord {
  readonly field: string;
  readonly word: string;
}

/**
 * The live documents of one or several indexes in one state each, as statistics are counted over them. What is asked at
 * the same time goes to the cluster together.
 */
export class Collection {
  readonly #cluster: Cluster;
  readonly storages: readonly SearchedStorage[];
  readonly #kept: KeptCounts;
  readonly #caller: SearchCaller | undefined;
  readonly #timeoutMs: number;
  /** Names the indexes and their states. */
  readonly key: string;
  /** Counts that are asked for already. */
  readonly #asked = new Map<string, Promise<number>>();
  #waiting: WaitingCount[] = [];

  constructor(
    cluster: Cluster,
    storages: readonly SearchedStorage[],
    {
      kept,
      caller,
      timeoutMs,
      isChanging = false,
    }: {
      readonly kept: KeptCounts;
      readonly caller: SearchCaller | undefined;
      readonly timeoutMs: number;
      /** Whether the state is that of pending documents, of which nothing may be remembered. */
      readonly isChanging?: boolean;
    },
  ) {
    this.#cluster = cluster;
    this.storages = storages;
    this.#kept = isChanging ? new KeptCounts() : kept;
    this.#caller = caller;
    this.#timeoutMs = timeoutMs;
    this.key = storages.map(({ storageId, generation }) => `${storageId}@${generation}`).join();
  }

  /** Which documents are there in the states that are searched. */
  get live(): Dsl {
    return this.storages.length === 1
      ? liveAt(this.storages[0]!.generation)
      : anyOf(this.storages.map(liveOf));
  }

  /** The part of it that is one storage's. */
  only(storage: SearchedStorage): Collection {
    return new Collection(this.#cluster, [storage], {
      kept: this.#kept,
      caller: this.#caller,
      timeoutMs: this.#timeoutMs,
    });
  }

  get documents(): string {
    return this.storages.map(({ documents }) => documents).join();
  }

  /** Live documents with the word in the field. */
  docFreq(field: string, word: string): Promise<number> {
    return this.count({ term: { [partOf("t", field)]: word } }, "words");
  }

  /** Live documents with any word in the field. */
  docCount(field: string): Promise<number> {
    return this.count({ bool: { filter: [{ term: { has: field } }] } });
  }

  /** Live documents that the query matches. @param among absent: it is counted by a search of its own */
  count(query: Dsl, among?: CountedAmong): Promise<number> {
    const key = `${this.key} ${JSON.stringify(query)}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined) return Promise.resolve(kept);
    let asked = this.#asked.get(key);
    if (asked === undefined) {
      asked = new Promise((settle, fail) => {
        if (this.#waiting.length === 0) setImmediate(() => void this.#send());
        this.#waiting.push({ query, key, among, settle, fail });
      });
      this.#asked.set(key, asked);
    }
    return asked;
  }

  /** The words that the query over `field`, `word` and `beginnings` finds. */
  async words(query: Dsl): Promise<readonly IndexedWord[]> {
    const { body } = await this.#cluster.request<{
      readonly hits: { readonly hits: readonly { readonly _source: IndexedWord }[] };
    }>("POST", `/${this.storages.map(({ words }) => words).join()}/_search`, {
      query: { allow_partial_search_results: false },
      body: { query, size: WORDS_MAX, _source: ["field", "word"], sort: ["_doc"] },
      caller: this.#caller,
      timeoutMs: this.#timeoutMs,
    });
    return body.hits.hits.map(({ _source: source }) => source);
  }

  async #send(): Promise<void> {
    const all = this.#waiting;
    this.#waiting = [];
    for (let start = 0; start < all.length; start += COUNTS_TOGETHER) {
      const together = all.slice(start, start + COUNTS_TOGETHER);
      try {
        await this.#sendTogether(together);
      } catch (error) {
        for (const { fail } of together) fail(clusterError(error));
      }
    }
  }

  async #sendTogether(together: readonly WaitingCount[]): Promise<void> {
    const byAmong = new Map<unknown, WaitingCount[]>();
    for (const each of together) {
      const group = byAmong.get(each.among ?? each);
      if (group === undefined) byAmong.set(each.among ?? each, [each]);
      else group.push(each);
    }
    const groups = [...byAmong.values()];
    const lines = groups.flatMap((group) => [WHOLE, countingOf(group, this.live)]);
    const { body } = await this.#cluster.request<{ readonly responses: readonly CountsAnswer[] }>(
      "POST",
      `/${this.documents}/_msearch`,
      { lines, caller: this.#caller, timeoutMs: this.#timeoutMs },
    );
    for (const [i, group] of groups.entries()) {
      const answer = body.responses[i]!;
      if (answer.hits === undefined) {
        for (const { fail } of group) fail(itemError(answer.status ?? 500, answer.error));
        continue;
      }
      const buckets = answer.aggregations?.counts.buckets ?? [{ doc_count: answer.hits.total.value }];
      for (const [at, { key, settle }] of group.entries()) {
        const { doc_count: count } = buckets[at]!;
        this.#kept.set(key, count);
        settle(count);
      }
    }
  }
}

interface CountsAnswer {
  readonly status?: number;
  readonly error?: unknown;
  readonly hits?: { readonly total: { readonly value: number } };
  readonly aggregations?: {
    readonly counts: { readonly buckets: readonly { readonly doc_count: number }[] };
  };
}

/** A search that counts what each of several queries matches of the live documents. */
function countingOf(counts: readonly WaitingCount[], live: Dsl): Dsl {
  const queries = counts.map(({ query }) => query);
  const { among } = counts[0]!;
  if (counts.length === 1) return { size: 0, query: allOf([live, queries[0]!]), track_total_hits: true };
  return {
    size: 0,
    query: allOf([live, among === undefined || among === "words" ? anyOf(queries) : among]),
    track_total_hits: false,
    aggs: { counts: { filters: { filters: queries } } },
  };
}

/** One storage's documents among those of several. */
export function liveOf(storage: SearchedStorage): Dsl {
  return allOf([{ term: { member: storage.storageId } }, ...livesAt(storage.generation)]);
}
