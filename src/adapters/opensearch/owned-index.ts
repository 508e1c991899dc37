import { FindlingError } from "../../errors/index.js";
import type { Cluster } from "./cluster.js";

/** Who an index of the cluster belongs to, in its mapping. Nothing without the mark is ever written or deleted. */
interface Owner {
  readonly program: "findling";
  readonly prefix: string;
}

export interface IndexDefinition {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly mappings: Readonly<Record<string, unknown>>;
}

/** Names of one request: a path has its limit. */
const DELETED_TOGETHER = 20;
/** A busy cluster takes long to make an index, and a start is given up with it. */
const MAKING_TIMEOUT_MS = 120_000;
const SERVED_TIMEOUT_MS = 10_000;
const BAD_REQUEST = 400;
const NOT_FOUND = 404;
const REQUEST_TIMEOUT = 408;

/** The cluster's indices of one Findling: their names begin with its prefix, and their mappings bear its mark. */
export class OwnedIndices {
  readonly #cluster: Cluster;
  readonly prefix: string;

  constructor(cluster: Cluster, prefix: string) {
    this.#cluster = cluster;
    this.prefix = prefix;
  }

  /** @param rest lower case letters, digits and hyphens */
  nameOf(rest: string): string {
    return `${this.prefix}-${rest}`;
  }

  /**
   * Makes an index, unless it is there.
   *
   * @returns whether it was made
   * @throws FindlingError `invalid_configuration` if there is one of that name without the mark
   */
  async ensure(name: string, { settings, mappings }: IndexDefinition): Promise<boolean> {
    const { status, body } = await this.#cluster.request<{ readonly error?: { readonly type?: string } }>(
      "PUT",
      `/${name}`,
      {
        body: { settings, mappings: { ...mappings, _meta: { owner: this.#owner() } } },
        accepts: [BAD_REQUEST],
        timeoutMs: MAKING_TIMEOUT_MS,
      },
    );
    if (status !== BAD_REQUEST) return true;
    if (body.error?.type !== "resource_already_exists_exception") {
      throw new FindlingError(
        "storage_unavailable",
        `the OpenSearch cluster can't make the index '${name}'`,
        {
          details: String(body.error?.type),
        },
      );
    }
    await this.requireOwn(name);
    await this.#untilServed(name);
    return false;
  }

  /** @throws FindlingError `invalid_configuration` if there is no index of that name with the mark */
  async requireOwn(name: string): Promise<void> {
    if (await this.isOwn(name)) return;
    throw new FindlingError(
      "invalid_configuration",
      `the cluster's index '${name}' is not of this Findling; choose another FINDLING_OPENSEARCH_PREFIX`,
    );
  }

  /** Whether there is an index of this name, with the mark. */
  async isOwn(name: string): Promise<boolean> {
    const { status, body } = await this.#cluster.request<Mappings>("GET", `/${name}/_mapping`, {
      accepts: [NOT_FOUND],
    });
    if (status === NOT_FOUND) return false;
    const owner = body[name]?.mappings?._meta?.owner;
    return owner?.program === "findling" && owner.prefix === this.prefix;
  }

  /** Deletes indices that bear the mark; what is not there, or without it, stays. */
  async delete(names: readonly string[]): Promise<void> {
    const isOwn = await Promise.all(
      names.map(async (name) => name.startsWith(`${this.prefix}-`) && this.isOwn(name)),
    );
    const own = names.filter((_, i) => isOwn[i]);
    for (let start = 0; start < own.length; start += DELETED_TOGETHER) {
      const together = own.slice(start, start + DELETED_TOGETHER).join();
      await this.#cluster.request("DELETE", `/${together}`, {
        query: { ignore_unavailable: true },
        accepts: [NOT_FOUND],
      });
    }
  }

  /** Deletes all indices that begin with the prefix and bear the mark. */
  async deleteAll(): Promise<void> {
    const { body } = await this.#cluster.request<Mappings>("GET", `/${this.prefix}-*/_mapping`);
    await this.delete(Object.keys(body));
  }

  /** Another server may have made the index a moment ago: it can't be read before its primary shard has started. */
  async #untilServed(name: string): Promise<void> {
    await this.#cluster.request("GET", `/_cluster/health/${name}`, {
      query: { wait_for_active_shards: "1", timeout: `${SERVED_TIMEOUT_MS}ms` },
      // One that stays red is told of by what is asked next.
      accepts: [REQUEST_TIMEOUT],
    });
  }

  #owner(): Owner {
    return { program: "findling", prefix: this.prefix };
  }
}

type Mappings = Readonly<
  Record<string, { readonly mappings?: { readonly _meta?: { readonly owner?: Partial<Owner> } } }>
>;
