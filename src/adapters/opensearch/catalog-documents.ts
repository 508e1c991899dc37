import type { Federation } from "../../contract/federation.js";
import { CorruptionError, FindlingError } from "../../errors/index.js";
import type { CatalogIndex } from "../../ports/catalog.js";
import { decodeCatalogFile, encodeCatalogFile } from "../catalog/catalog-file.js";
import type { CatalogFileKind } from "../catalog/catalog-shapes.js";
import type { DamagedFile } from "../catalog/damaged-files.js";
import type { Cluster } from "./cluster.js";
import type { OwnedIndices } from "./owned-index.js";
import { type VersionedDocument, VersionedDocuments } from "./versioned-documents.js";

export type EntryKind = CatalogFileKind | "secret-key";

export interface DamagedEntry extends DamagedFile {
  readonly kind: EntryKind;
}

/** What the cluster holds of an entry. */
interface StoredEntry {
  readonly kind: EntryKind;
  readonly name: string;
  /** The entry as a catalog's file has it; null once it is deleted: so others come to know of it. */
  readonly content: string | null;
}

interface KnownEntry extends VersionedDocument<StoredEntry> {
  /** Decoded; undefined where it is deleted, damaged, or of a kind that isn't decoded here. */
  readonly entry: object | undefined;
  /** Why nobody can go by it. */
  readonly damage?: CorruptionError;
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

const HOLDERS: Readonly<Record<string, (name: string) => string>> = {
  index: (name) => `index '${name}'`,
  federation: (name) => `federation '${name}'`,
  aliases: () => "aliases",
  keys: () => "access keys",
  "secret-key": () => "mark of the secret key",
};

/**
 * The catalog's documents as this process has read them last, by kind and name. One that can't be understood, as it is
 * damaged or a newer version's, costs what is in it: it is named (`damaged`), refused (`requireSound`) and never replaced.
 */
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

  /** Opens the documents of a catalog that is there. */
  static existing(cluster: Cluster, indices: OwnedIndices): CatalogDocuments {
    return new CatalogDocuments(cluster, indices.nameOf("catalog"));
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

  damaged(): readonly DamagedEntry[] {
    return [...this.#known.values()].flatMap(({ source: { kind, name }, damage }) =>
      damage === undefined
        ? []
        : [{ kind, file: damage.file, holder: HOLDERS[kind]?.(name) ?? kind, error: damage }],
    );
  }

  isSound(kind: EntryKind, name: string): boolean {
    return this.#known.get(idOf(kind, name))?.damage === undefined;
  }

  /** @throws FindlingError `storage_unavailable` if what is stored there can't be understood */
  requireSound(kind: EntryKind, name: string): void {
    const damage = this.#known.get(idOf(kind, name))?.damage;
    if (damage === undefined) return;
    const holder = HOLDERS[kind]?.(name) ?? kind;
    throw new FindlingError(
      "storage_unavailable",
      `what the OpenSearch cluster holds of the ${holder} can't be read, as it is damaged or a newer version's; it is left as it is, and the server's log names it`,
      { cause: damage },
    );
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
    this.requireSound(kind, name);
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
    const isSame =
      known !== undefined &&
      known.damage === undefined &&
      known.source.content === source.content &&
      idOf(source.kind, source.name) === id;
    try {
      this.#known.set(id, { ...document, entry: isSame ? known.entry : this.#decode(id, source) });
    } catch (error) {
      if (!(error instanceof CorruptionError)) throw error;
      // What it says of itself is as doubtful as all else.
      const [kind, name] = placeOf(id);
      this.#known.set(id, {
        ...document,
        source: { kind, name, content: null },
        entry: undefined,
        damage: error,
      });
    }
  }

  /** @throws CorruptionError */
  #decode(id: string, { kind, name, content }: StoredEntry): object | undefined {
    const file = `${this.#documents.index}/_doc/${id}`;
    if (idOf(kind, name) !== id || (content !== null && typeof content !== "string"))
      throw new CorruptionError(file, "its members are not what an entry's are");
    if (content === null || !isFileKind(kind)) return undefined;
    const entry = decodeCatalogFile(kind, Buffer.from(content), file) as object;
    const held = nameIn(kind, entry);
    if (held !== undefined && held !== name)
      throw new CorruptionError(file, `it holds the ${kind} '${held}'`);
    return entry;
  }
}

function isFileKind(kind: EntryKind): kind is CatalogFileKind {
  return kind === "index" || kind === "federation" || kind === "aliases" || kind === "keys";
}

/** The name that an entry bears itself, if its kind does. */
function nameIn(kind: CatalogFileKind, entry: object): string | undefined {
  if (kind === "index") return (entry as CatalogIndex).schema.name;
  return kind === "federation" ? (entry as Federation).name : undefined;
}

function placeOf(id: string): readonly [EntryKind, string] {
  const colon = id.indexOf(":");
  return [id.slice(0, Math.max(0, colon)) as EntryKind, id.slice(colon + 1)];
}

function idOf(kind: EntryKind, name: string): string {
  return `${kind}:${name}`;
}
