import { randomUUID } from "node:crypto";
import type { FindlingError } from "../../errors/index.js";
import type { Cluster } from "./cluster.js";
import type { TimedCaller } from "./timed-caller.js";

/** A state of a document in the cluster, by which it is compared and set. */
export interface DocumentVersion {
  readonly seqNo: number;
  readonly primaryTerm: number;
}

export interface VersionedDocument<Source> extends DocumentVersion {
  readonly id: string;
  readonly source: Source;
}

/** Every document says who wrote it last, so that a repeated write knows itself again. */
interface Signed {
  readonly nonce: string;
}

interface GotDocument<Source> {
  readonly found?: boolean;
  readonly _seq_no?: number;
  readonly _primary_term?: number;
  readonly _source?: Source;
}

const NOT_FOUND = 404;
const CONFLICT = 409;

/** How a write ended whose answer may have been lost, and that another may have come before. */
export type WriteOutcome<Source> =
  | { readonly isWritten: true; readonly document: VersionedDocument<Source> }
  /** What is there instead; null: nothing. */
  | { readonly isWritten: false; readonly present: VersionedDocument<Source> | null };

/** Small documents of one index, read as of now and changed by compare-and-set only. */
export class VersionedDocuments<Source extends object> {
  readonly #cluster: Cluster;
  /** Whether searches find a document as soon as it is written. */
  readonly #refresh: boolean;
  readonly index: string;

  constructor(cluster: Cluster, index: string, { refresh = true }: { readonly refresh?: boolean } = {}) {
    this.#cluster = cluster;
    this.index = index;
    this.#refresh = refresh;
  }

  /** The document as the primary shard has it now; null if there is none, or no index. */
  async get(id: string, caller?: TimedCaller): Promise<VersionedDocument<Source> | null> {
    const { status, body } = await this.#cluster.request<GotDocument<Source>>("GET", this.#path(id), {
      query: { realtime: true, preference: "_primary" },
      accepts: [NOT_FOUND],
      caller,
    });
    if (status === NOT_FOUND || body.found !== true) return null;
    return { id, source: body._source!, seqNo: body._seq_no!, primaryTerm: body._primary_term! };
  }

  /**
   * Writes the document if it is still the expected one.
   *
   * @param expected null: there is none
   * @throws FindlingError what the cluster's requests throw; the document may have been written all the same
   */
  async compareAndSet(
    id: string,
    source: Source,
    expected: DocumentVersion | null,
  ): Promise<WriteOutcome<Source>> {
    const nonce = randomUUID();
    const signed: Source & Signed = { ...source, nonce };
    let failure: FindlingError | undefined;
    try {
      const { status, body } = await this.#cluster.request<GotDocument<Source>>("PUT", this.#path(id), {
        query: {
          refresh: this.#refresh,
          ...(expected === null
            ? { op_type: "create" }
            : { if_seq_no: expected.seqNo, if_primary_term: expected.primaryTerm }),
        },
        body: signed,
        accepts: [CONFLICT],
      });
      if (status !== CONFLICT) {
        const document = { id, source: signed, seqNo: body._seq_no!, primaryTerm: body._primary_term! };
        return { isWritten: true, document };
      }
    } catch (error) {
      failure = error as FindlingError;
    }
    // An answer that was lost, or a request that was sent twice: the document itself says what has become of it.
    const present = await this.get(id);
    if ((present?.source as Partial<Signed> | undefined)?.nonce === nonce) {
      return { isWritten: true, document: present! };
    }
    if (failure !== undefined) throw failure;
    return { isWritten: false, present };
  }

  #path(id: string): string {
    return `/${this.index}/_doc/${encodeURIComponent(id)}`;
  }
}
