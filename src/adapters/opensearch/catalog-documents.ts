import { CorruptionError } from "../../errors/index.js";
import { decodeCatalogFile, encodeCatalogFile } from "../catalog/catalog-file.js";
import type { CatalogFileKind } from "../catalog/catalog-shapes.js";
import type { Cluster } from "./cluster.js";
import type { OwnedIndices } from "./owned-index.js";
import { type VersionedDocument, VersionedDocuments } from "./versioned-documents.js";

export type EntryKind = CatalogFileKind | "secret-key";

/** What the cluster holds of an entry. */
interface StoredEntry {
  readonly kind: EntryKind;
  readonly name: string;
  /** The entry as a catalog's file has it; null once it is deleted: so others come to know of it. */
  readonly content: string | null;
}

interface KnownEntry extends VersionedDocument<StoredEntry> {
  /** Decoded; undefined where it is deleted, or of a kind that isn't decoded here. */
  readonly entry: object | undefined;
}

interface SearchAnswer {
  readonly hits: {
    readonly hits: readonly {
      readonly _id: string;
      readonly _seq_no: number;
      readonly _primary_term: number;
      readonly _source: StoredEntry;
      readonly sort: readonly unknown[];
    }[];
  };
}

const PAGE = 1_000;
/**
 * Changes that are looked at again: while the newest one is seen already, older ones may still be on their way into the
 * shard, but hardly more than this many.
 */
const OVERLAP = 200;

const DEFINITION = {
  settings: { number_of_shards: 1, auto_expand_replicas: "0-2", "index.refresh_interval": "1s" },
  mappings: {
    dynamic: "strict",
    properties: {
      kind: { type: "keyword" },
      name: { type: "keyword" },
      content: { type: "keyword", index: false, doc_values: false },
      nonce: { type: "keyword", index: false, doc_values: false },
    },
  },
} as const;

/** The catalog's documents as this process has read them last, by kind and name. */
export class CatalogDocuments {
  readonly #cluster: Cluster;
  readonly #documents: VersionedDocuments<StoredEntry>;
  readonly #known = new Map<string, KnownEntry>();
  /** Sequence number of the newest change that was seen. */
  #newest = -1;
  #isSettled = true;

  private constructor(cluster: Cluster, index: string) {
    this.#cluster = cluster;
    this.#documents = new VersionedDocuments(cluster, index);
  }

  static async open(cluster: Cluster, indices: OwnedIndices): Promise<CatalogDocuments> {
    const name = indices.nameOf("catalog");
    await indices.ensure(name, DEFINITION);
    return new CatalogDocuments(cluster, name);
  }

  /** False after a write of which nobody could say what has become of it, until the cluster is read again. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** By name. */
  all<Entry>(kind: EntryKind): readonly Entry[] {
    return [...this.#known.values()]
      .filter(({ source, entry }) => source.kind === kind && entry !== undefined)
      .sort((a, b) => (a.source.name < b.source.name ? -1 : 1))
      .map(({ entry }) => entry as Entry);
  }

  entry<Entry>(kind: EntryKind, name: string): Entry | undefined {
    return this.#known.get(idOf(kind, name))?.entry as Entry | undefined;
  }

  content(kind: EntryKind, name: string): string | undefined {
    return this.#known.get(idOf(kind, name))?.source.content ?? undefined;
  }

  /** Where an entry is, for messages. */
  fileOf(kind: EntryKind, name: string): string {
    return `${this.#documents.index}/_doc/${idOf(kind, name)}`;
  }

  /** False if another process has changed the entry since it was read; then it has been read anew. */
  set(kind: CatalogFileKind, name: string, entry: object | null): Promise<boolean> {
    const content = entry === null ? null : Buffer.from(encodeCatalogFile(kind, entry)).toString("utf8");
    return this.setContent(kind, name, content, entry ?? undefined);
  }

  /** Puts content that is encoded already in an entry's place, as `set` does; null deletes it. */
  async setContent(kind: EntryKind, name: string, content: string | null, entry?: object): Promise<boolean> {
    const id = idOf(kind, name);
    const known = this.#known.get(id) ?? null;
    try {
      const outcome = await this.#documents.compareAndSet(id, { kind, name, content }, known);
      if (outcome.isWritten) this.#known.set(id, { ...outcome.document, entry });
      else if (outcome.present !== null) this.#take(outcome.present);
      else this.#known.delete(id);
      return outcome.isWritten;
    } catch (error) {
      // What can be read says whether the write came through; where nothing can, nobody knows.
      if (!(await this.#isReadable(id))) this.#isSettled = false;
      throw error;
    }
  }

  /** The entry as it is in the cluster now. */
  async read(kind: EntryKind, name: string): Promise<string | undefined> {
    const document = await this.#documents.get(idOf(kind, name));
    if (document !== null) this.#take(document);
    return document?.source.content ?? undefined;
  }

  /** Reads what has changed since the last time. */
  async refresh(): Promise<void> {
    let after: readonly unknown[] | undefined;
    for (;;) {
      const { body } = await this.#cluster.request<SearchAnswer>(
        "POST",
        `/${this.#documents.index}/_search`,
        {
          query: { allow_partial_search_results: false },
          body: {
            query: { range: { _seq_no: { gte: Math.max(0, this.#newest - OVERLAP) } } },
            sort: [{ _seq_no: "asc" }],
            size: PAGE,
            seq_no_primary_term: true,
            ...(after !== undefined && { search_after: after }),
          },
        },
      );
      const { hits } = body.hits;
      for (const { _id: id, _seq_no: seqNo, _primary_term: primaryTerm, _source: source } of hits) {
        this.#take({ id, source, seqNo, primaryTerm });
      }
      if (hits.length < PAGE) break;
      after = hits.at(-1)!.sort;
    }
    this.#newest = Math.max(this.#newest, ...[...this.#known.values()].map(({ seqNo }) => seqNo));
    this.#isSettled = true;
  }

  async #isReadable(id: string): Promise<boolean> {
    try {
      const present = await this.#documents.get(id);
      if (present !== null) this.#take(present);
      return true;
    } catch {
      return false;
    }
  }

  /** An entry stays the same object while its content is the same. */
  #take(document: VersionedDocument<StoredEntry>): void {
    const { id, source, seqNo } = document;
    const known = this.#known.get(id);
    if (known !== undefined && known.seqNo >= seqNo) return;
    const isSame = known !== undefined && known.source.content === source.content;
    this.#known.set(id, { ...document, entry: isSame ? known.entry : this.#decode(source) });
  }

  #decode({ kind, name, content }: StoredEntry): object | undefined {
    if (content === null || (kind !== "index" && kind !== "federation" && kind !== "aliases"))
      return undefined;
    const file = this.fileOf(kind, name);
    const entry = decodeCatalogFile(kind, Buffer.from(content), file);
    if (typeof entry === "object" && entry !== null) return entry;
    throw new CorruptionError(file, `it holds no ${kind}`);
  }
}

function idOf(kind: EntryKind, name: string): string {
  return `${kind}:${name}`;
}
