import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SearchPatience } from "../../src/adapters/embedded/search-patience.js";
import { PageReceiver, PageSender } from "../../src/adapters/embedded/search-threads/page-message.js";
import {
  fromOutcomeMessage,
  runTask,
  type SearchOutcome,
  type SearchTask,
  toOutcomeMessage,
} from "../../src/adapters/embedded/search-threads/search-task.js";
import {
  type SearchedSnapshot,
  SearchThreads,
} from "../../src/adapters/embedded/search-threads/search-threads.js";
import { toEngineSchema } from "../../src/adapters/embedded/to-engine-schema.js";
import { SynonymMap } from "../../src/analysis/synonym-map.js";
import { FileDirectory, Index, TieredMergePolicy } from "../../src/engine/server-door.js";
import { compileFederatedSearch } from "../../src/query/compile-federated-search.js";
import { field, sampleIndex } from "../query-kit/sample-index.js";
import { ManualClock } from "./manual-clock.js";

const sample = sampleIndex({
  fields: {
    id: field("text"),
    title: field("text"),
    shelf: field("facet"),
    n: field("u64"),
    at: field("datetime", { precision: "seconds" }),
  },
  search_fields: ["title", "id"],
  weight_multipliers: { title: 2 },
});
/** What the harness's indexes are searched as. */
export const index = {
  ...sample,
  synonyms: new SynonymMap({ winter: ["snow", "cold tale"] }, sample.analyzer),
};

const plain = { clauses: [{ mode: "fuzzy" as const, ctx: "winter", occur: "should" as const }] };
const [plan] = compileFederatedSearch({ ...plain, offset: 0, limit: 10, sort: "desc" }, [index], 0);
/** A search for "winter" in one index. */
export const TASK: SearchTask = {
  isFederated: false,
  members: [{ plan: plan!, weight: 1 }],
  wanted: { kind: "page" },
};

interface StoredIndex {
  readonly path: string;
  readonly index: Index;
}

/** Indexes in a temporary folder, threads that search them, and time by hand. */
export class SearchThreadsHarness {
  readonly folder: string = mkdtempSync(join(tmpdir(), "findling-search-threads-"));
  readonly clock: ManualClock = new ManualClock();
  /** What the pools told of. */
  readonly problems: string[] = [];
  readonly #opened: Index[] = [];
  readonly #pools: SearchThreads[] = [];

  /** @param workerFile what each thread runs; by default what it runs in a server */
  pool(count: number, workerFile?: URL): SearchThreads {
    const made = new SearchThreads({
      count,
      clock: this.clock,
      onProblem: (message) => this.problems.push(message),
      ...(workerFile === undefined ? {} : { workerFile }),
    });
    this.#pools.push(made);
    return made;
  }

  /** An index with a segment of each part's documents. */
  async indexOf(parts: readonly (readonly object[])[]): Promise<StoredIndex> {
    const path = join(this.folder, `i${this.#opened.length}`);
    const made = await Index.create(
      await FileDirectory.open(path, { create: true }),
      toEngineSchema(sample.schema),
      { mergePolicy: new TieredMergePolicy({ segmentsPerTier: 100 }) },
    );
    this.#opened.push(made);
    for (const [batch, documents] of parts.entries()) {
      await made.add(documents.map((each, i) => ({ id: `${batch}-${i}`, ...each })));
      await made.commit();
    }
    return { path, index: made };
  }

  patience(limitMs = 60_000): SearchPatience {
    return new SearchPatience(limitMs, () => this.clock.now());
  }

  /** What a search gives in the thread that asks, as it would come from another one. */
  here(task: SearchTask, snapshots: readonly SearchedSnapshot[]): SearchOutcome {
    const searchers = snapshots.map(({ searcher }) => searcher);
    const outcome = runTask(task, searchers, this.patience());
    return fromOutcomeMessage(
      structuredClone(toOutcomeMessage(outcome, new PageSender())),
      new PageReceiver(),
    );
  }

  async close(): Promise<void> {
    for (const pool of this.#pools) await pool.stop();
    for (const index of this.#opened) await index.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** An outcome with its facets as nodes: threads number paths each in its own way. */
export function withNodes(outcome: SearchOutcome): unknown {
  if (outcome.kind !== "page") return outcome;
  const facets = outcome.result.facets.map(({ field, nodes }) => ({ field, nodes }));
  return { kind: "page", result: { ...outcome.result, facets } };
}

export function snapshotOf({ path, index: { searcher } }: StoredIndex): SearchedSnapshot {
  return { path, searcher };
}

export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resume) => setTimeout(resume, 5));
}
