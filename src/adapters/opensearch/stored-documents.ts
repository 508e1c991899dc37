import { hash } from "node:crypto";
import type { CanonicalDocument } from "../../contract/canonical-value.js";
import { FindlingError } from "../../errors/index.js";
import { readJson } from "../../json/exact-json.js";
import type { Cluster, ClusterAnswer, ClusterRequest } from "./cluster.js";
import { itemError } from "./cluster-errors.js";
import type { SearchedStorage } from "./collection.js";
import { withDocumentIds } from "./document-revisions.js";
import { allOf, type Dsl } from "./dsl.js";
import type { IdentifiedDocument } from "./encode-document.js";
import { batchesOf } from "./encoded-batches.js";
import { liveAt } from "./index-generations.js";
import { ALIVE, BEGINNING_MAX } from "./index-mapping.js";
import type { KnownWords } from "./known-words.js";
import { WorkTogether } from "./work-together.js";
import type { WriteTurn } from "./write-turns.js";
import type { WriteWindow } from "./write-window.js";

/** A state of a document in the cluster with what says when it is seen. */
export interface StoredDocument {
  /** The cluster's (`document-revisions.ts`). */
  readonly id: string;
  readonly born: number;
  readonly died: number;
  readonly seq: number;
  readonly document: CanonicalDocument;
}

interface BulkAnswer {
  readonly errors: boolean;
  readonly items: readonly Readonly<Record<string, { readonly status: number; readonly error?: unknown }>>[];
}

interface ByQueryAnswer {
  readonly updated?: number;
  readonly deleted?: number;
  readonly version_conflicts: number;
  readonly failures: readonly unknown[];
}

const BULK_BYTES_MAX = 4_000_000;
const CONFLICT = 409;
const BUSY = 429;
/** How often items that the cluster was too busy for, or had no shard for, are sent again. */
const BULK_TRIES = 6;
/** How long the cluster may wait for a shard before it says that it has none: less than others wait for who is gone. */
const SHARD_TIMEOUT = "1s";
const PAGE = 1_000;
/** Batches of documents that are under way at a time. */
const BATCHES_TOGETHER = 3;
/** Milliseconds for a write by query, however many documents it finds. */
const BY_QUERY_TIMEOUT_MS = 600_000;
const BY_QUERY_ROUNDS = 20;
/** The cluster's names of what changes and deletes by query. */
const BY_QUERY_ACTIONS = "indices:data/write/update/byquery,indices:data/write/delete/byquery";
/** And of bulk requests, also those that wait for a thread. */
const BULK_ACTIONS = "indices:data/write/bulk*";
const SETTLE_POLL_MS = 50;
/** How often they are listed: a node that has just gone on again may tell before it takes up what waits in its sockets. */
const LISTINGS = 2;
const SILENT_NODE_MS = 10_000;

/**
 * Writes documents of one storage, all of which is harmless to repeat. What is written in a turn bears the mark of its
 * operation, by which it can be undone, and ends with the turn: then nothing more is sent.
 */
export class StoredDocuments {
  readonly #cluster: Cluster;
  readonly #storage: Pick<SearchedStorage, "documents" | "words" | "storageId">;
  /** What all storages have together. */
  readonly #shared: { readonly knownWords: KnownWords; readonly window: WriteWindow };
  /** Absent: nobody but this process knows of the storage, or nothing is changed but by `deleteFound`. */
  readonly #turn: WriteTurn | undefined;

  constructor(
    cluster: Cluster,
    storage: Pick<SearchedStorage, "documents" | "words" | "storageId">,
    shared: { readonly knownWords: KnownWords; readonly window: WriteWindow },
    turn?: WriteTurn,
  ) {
    this.#cluster = cluster;
    this.#storage = storage;
    this.#shared = shared;
    this.#turn = turn;
  }

  /**
   * Durable once it resolves, each batch after its words and several at a time. What can't be written whole is taken
   * back, as far as can be.
   *
   * @param options whether documents may be there already, with other content
   */
  async put(
    batches: AsyncIterable<readonly IdentifiedDocument[]> | Iterable<readonly IdentifiedDocument[]>,
    { isReplacing = false }: { readonly isReplacing?: boolean } = {},
  ): Promise<void> {
    // One that is sent twice is there once, and nothing was deleted for it that statistics go on counting.
    const operation = isReplacing ? "index" : "create";
    const ids: string[] = [];
    const writing = new WorkTogether(BATCHES_TOGETHER);
    let words: Promise<void> = Promise.resolve();
    const write = (batch: readonly IdentifiedDocument[]): Promise<void> => {
      ids.push(...batch.map(({ id }) => id));
      words = words.then(() => this.#putWords(batch));
      return words.then(() =>
        this.#bulk(
          this.#storage.documents,
          batch.map(({ id, source }) => [`{"${operation}":{"_id":"${id}"}}`, source] as const),
        ),
      );
    };
    try {
      let last: readonly IdentifiedDocument[] | undefined;
      for await (const batch of batches) {
        if (last !== undefined) {
          // What isn't one request may be interrupted between them.
          await this.#turn?.announce();
          const before = last;
          await writing.begin(() => write(before));
        }
        last = batch;
      }
      if (last !== undefined) await writing.begin(() => write(last));
      await writing.done();
    } catch (error) {
      await writing.settled();
      await this.#takeBack(ids).catch(() => undefined);
      throw error;
    }
  }

  /** What has no answer may come late: whoever is alone next waits for it, and undoes it. */
  async #takeBack(ids: readonly string[]): Promise<void> {
    await this.#turn?.announce();
    await this.remove(ids);
  }

  /** Documents die in the turn's generation. */
  async bury(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#turn?.noteLoss();
    const { pending, operation } = this.#requireTurn();
    const change = JSON.stringify({ doc: { died: pending, operation } });
    await this.#bulk(
      this.#storage.documents,
      ids.map((id) => [`{"update":{"_id":"${id}"}}`, change] as const),
    );
  }

  /** Documents give way to others, in two steps of the turn's operation. */
  async supersede(ids: readonly string[], documents: readonly IdentifiedDocument[]): Promise<void> {
    await this.put(batchesOf(documents));
    await this.bury(ids);
  }

  async remove(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#turn?.noteLoss();
    await this.#bulk(
      this.#storage.documents,
      ids.map((id) => [`{"delete":{"_id":"${id}"}}`] as const),
    );
  }

  /** All that has been written is found by searches from now on. @throws FindlingError if any copy of a shard can't */
  async refresh(): Promise<void> {
    const { documents, words } = this.#storage;
    const { body } = await this.#request<{ readonly _shards: { readonly failed: number } }>(
      "POST",
      `/${documents},${words}/_refresh`,
    );
    if (body._shards.failed === 0) return;
    throw new FindlingError(
      "storage_unavailable",
      "a part of the OpenSearch cluster can't be refreshed now",
      {
        retryAfterSeconds: 1,
      },
    );
  }

  /** What the query finds dies in the turn's generation. To be called after a refresh. */
  async buryFound(query: Dsl): Promise<void> {
    await this.#turn?.noteLoss();
    const { pending, operation } = this.#requireTurn();
    await this.#byQuery("_update_by_query", {
      query,
      script: {
        source: "ctx._source.died = params.died; ctx._source.operation = params.operation",
        params: { died: pending, operation },
      },
    });
  }

  async deleteFound(query: Dsl): Promise<number> {
    return this.#byQuery("_delete_by_query", { query });
  }

  /** Everything that is pending is undone: what was born for the turn's generation goes, what died for it lives. */
  async undo(): Promise<void> {
    const { pending } = this.#requireTurn();
    await this.#undo({ born: { term: { born: pending } }, died: { term: { died: pending } } });
  }

  /** What interrupted operations have written goes, what died by them lives. */
  async undoOperations(operations: readonly string[]): Promise<void> {
    const theirs = { terms: { operation: operations } };
    // What has been revived lives without their mark, so that this can be done again.
    await this.#undo({ born: allOf([theirs, { term: { died: ALIVE } }]), died: theirs });
  }

  async #undo({ born, died }: { readonly born: Dsl; readonly died: Dsl }): Promise<void> {
    await this.#turn?.noteLoss();
    await this.#endByQuery();
    // What was sent a second time, or given up, would be there again once it is carried out.
    await this.settle();
    await this.refresh();
    await this.deleteFound(born);
    await this.#byQuery("_update_by_query", {
      query: died,
      script: {
        source: "ctx._source.died = params.died; ctx._source.remove('operation')",
        params: { died: ALIVE },
      },
    });
    await this.refresh();
  }

  /** Resolves once the cluster has carried out the bulk requests for the storage's documents that it has got by now. */
  async settle(): Promise<void> {
    const awaited = new Set<string>();
    for (let listing = 1; ; listing++) {
      const underWay = (await this.#tasks(BULK_ACTIONS)).map(taskId);
      // Later ones are of a purge, which nobody waits for.
      if (listing <= LISTINGS) for (const each of underWay) awaited.add(each);
      if (listing >= LISTINGS && !underWay.some((each) => awaited.has(each))) return;
      await new Promise((resolve) => setTimeout(resolve, SETTLE_POLL_MS));
    }
  }

  /** A change by query that a server began which has died goes on in the cluster, unless it is told to end. */
  async #endByQuery(): Promise<void> {
    for (const task of await this.#tasks(BY_QUERY_ACTIONS)) {
      await this.#request("POST", `/_tasks/${encodeURIComponent(taskId(task))}/_cancel`, {
        query: { wait_for_completion: true },
        accepts: [404],
      });
    }
  }

  /** What the cluster has under way for the storage's documents. */
  async #tasks(actions: string): Promise<readonly Task[]> {
    const giveUpAt = Date.now() + SILENT_NODE_MS;
    for (;;) {
      const { body } = await this.#request<TaskList>("GET", "/_tasks", {
        query: { actions, detailed: true, group_by: "none" },
      });
      // A node that doesn't answer may have work under way, unless it is gone, as the cluster notices.
      if ((body.node_failures?.length ?? 0) === 0)
        return body.tasks.filter(({ description }) => description.includes(`[${this.#storage.documents}]`));
      if (Date.now() > giveUpAt) throw silentNode();
      await new Promise((resolve) => setTimeout(resolve, SETTLE_POLL_MS));
    }
  }

  /** A document as it is in a generation that has been committed; null if it isn't there. */
  async find(documentId: string, generation: number): Promise<CanonicalDocument | null> {
    const query = { bool: { filter: [withDocumentIds([documentId]), liveAt(generation)] } };
    for await (const [found] of this.all(query)) if (found !== undefined) return found.document;
    return null;
  }

  /** The documents that a query finds, in the order of their insertion. To be called after a refresh. */
  async *all(
    query: Dsl,
    sourceFields: readonly string[] = ["doc", "born", "died", "seq"],
  ): AsyncGenerator<readonly StoredDocument[]> {
    let after: readonly unknown[] | undefined;
    for (;;) {
      const { body } = await this.#request<{
        readonly hits: {
          readonly hits: readonly {
            readonly _id: string;
            readonly _source: StoredSource;
            readonly sort: readonly unknown[];
          }[];
        };
      }>("POST", `/${this.#storage.documents}/_search`, {
        query: { allow_partial_search_results: false },
        body: {
          query: { bool: { filter: [query] } },
          sort: [{ seq: "asc" }],
          size: PAGE,
          _source: sourceFields,
          ...(after !== undefined && { search_after: after }),
        },
      });
      const { hits } = body.hits;
      if (hits.length > 0) yield hits.map(({ _id: id, _source: source }) => storedOf(id, source));
      if (hits.length < PAGE) return;
      after = hits.at(-1)!.sort;
    }
  }

  async #putWords(documents: readonly IdentifiedDocument[]): Promise<void> {
    const { storageId, words: index } = this.#storage;
    const lines: (readonly [string, string])[] = [];
    const added = new Map<string, Set<string>>();
    for (const { words } of documents) {
      for (const [field, found] of words) {
        const known = this.#shared.knownWords.of(storageId, field);
        let fresh = added.get(field);
        if (fresh === undefined) added.set(field, (fresh = new Set()));
        for (const word of found) {
          if (known.has(word) || fresh.has(word)) continue;
          fresh.add(word);
          lines.push([
            `{"create":{"_id":"${wordId(field, word)}"}}`,
            JSON.stringify({ field, word, beginnings: beginningsOf(word) }),
          ]);
        }
      }
    }
    await this.#bulk(index, lines);
    // Whoever needs one of them before now sends it as well: documents are never there before their words.
    for (const [field, words] of added) this.#shared.knownWords.add(storageId, field, words);
  }

  /** @param items lines of JSON each: what is to be done, and the document if it takes one */
  async #bulk(index: string, items: readonly (readonly string[])[]): Promise<void> {
    const announce = async () => {
      if (index === this.#storage.documents) await this.#turn?.announce();
    };
    let waiting = items;
    for (let attempt = 0; waiting.length > 0; attempt++) {
      const again: (readonly string[])[] = [];
      const chunks = [...chunksOf(waiting)];
      // What isn't one request may be interrupted between them.
      if (chunks.length > 1) await announce();
      for (const chunk of chunks) {
        const { body } = await this.#shared.window.through(() =>
          this.#request<BulkAnswer>("POST", `/${index}/_bulk`, {
            query: { timeout: SHARD_TIMEOUT },
            lines: chunk.flat(),
          }),
        );
        if (!body.errors) continue;
        for (const [i, item] of body.items.entries()) {
          const [kind, { status, error }] = Object.entries(item)[0]!;
          if (
            status < 300 ||
            (status === CONFLICT && kind === "create") ||
            (status === 404 && kind === "delete")
          )
            continue;
          if ((status === BUSY || status === CONFLICT || status === 503) && attempt < BULK_TRIES)
            again.push(chunk[i]!);
          else {
            await announce();
            throw itemError(status, error);
          }
        }
        if (again.length > 0) await announce();
      }
      waiting = again;
      if (again.length > 0) await new Promise((resolve) => setTimeout(resolve, 50 * 2 ** attempt));
    }
  }

  async #byQuery(operation: string, body: Dsl): Promise<number> {
    let count = 0;
    for (let round = 0; round < BY_QUERY_ROUNDS; round++) {
      const answer = await this.#request<ByQueryAnswer>("POST", `/${this.#storage.documents}/${operation}`, {
        query: { conflicts: "proceed", refresh: true, wait_for_completion: true },
        body,
        timeoutMs: BY_QUERY_TIMEOUT_MS,
      });
      const { updated = 0, deleted = 0, version_conflicts: conflicts, failures } = answer.body;
      count += updated + deleted;
      if (failures.length === 0 && conflicts === 0) return count;
    }
    throw new FindlingError(
      "storage_unavailable",
      "documents that are changed all the time can't be deleted now",
      {
        retryAfterSeconds: 1,
      },
    );
  }

  /** Sends what a turn needs while it lasts; what its lease interrupts is sent again as soon as that is renewed. */
  async #request<Body>(
    method: "GET" | "POST",
    path: string,
    request: ClusterRequest = {},
  ): Promise<ClusterAnswer<Body>> {
    const lease = this.#turn?.lease;
    for (;;) {
      await lease?.valid();
      try {
        return await this.#cluster.request<Body>(method, path, { caller: lease, ...request });
      } catch (error) {
        const isInterrupted = (error as FindlingError).code === "search_timeout" || lease?.isGone === true;
        if (lease === undefined || !isInterrupted) throw error;
      }
    }
  }

  #requireTurn(): WriteTurn {
    if (this.#turn === undefined) throw new Error("documents die in a turn only");
    return this.#turn;
  }
}

interface Task {
  readonly node: string;
  readonly id: number;
  readonly description: string;
}

interface TaskList {
  readonly tasks: readonly Task[];
  readonly node_failures?: readonly unknown[];
}

function taskId({ node, id }: Task): string {
  return `${node}:${id}`;
}

function silentNode(): FindlingError {
  return new FindlingError(
    "storage_unavailable",
    "a node of the OpenSearch cluster doesn't say what it is doing",
    { retryAfterSeconds: 1 },
  );
}

interface StoredSource {
  readonly doc?: string;
  readonly born: number;
  readonly died: number;
  readonly seq: number;
}

function storedOf(id: string, { doc = "{}", born, died, seq }: StoredSource): StoredDocument {
  return { id, born, died, seq, document: readJson(doc) as CanonicalDocument };
}

function* chunksOf(items: readonly (readonly string[])[]): Generator<readonly (readonly string[])[]> {
  let chunk: (readonly string[])[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = item.reduce((sum, line) => sum + line.length, 0);
    if (chunk.length > 0 && bytes + size > BULK_BYTES_MAX) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(item);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}

/** A word of a field always gets one id, so that it is there once whoever writes it. */
function wordId(field: string, word: string): string {
  return hash("sha256", `${field}\0${word}`, "base64url").slice(0, 27);
}

function beginningsOf(word: string): readonly string[] {
  const characters = [...word].slice(0, BEGINNING_MAX);
  return characters.map((_, i) => characters.slice(0, i + 1).join(""));
}
