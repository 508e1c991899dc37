import { PERMISSION } from "../../contract/access-key.js";
import type { Federation } from "../../contract/federation.js";
import type {
  FederatedIndexStats,
  FederationDraft,
  FederationStats,
} from "../../contract/federation-bodies.js";
import { claimedFederation, parseFederationBody } from "../../contract/federation-body.js";
import { FindlingError } from "../../errors/index.js";
import type { Catalog } from "../../ports/catalog.js";
import type { Clock } from "../../ports/clock.js";
import type { SearchBackend } from "../../ports/search-backend.js";
import type { Authority } from "../authority/authority.js";
import { memberNamesOf, requireIndexInScope, requireMembersInScope } from "../authority/scope-rule.js";
import { indexNameOf } from "../indexes/require-index.js";
import { ReadWriteLock } from "../locks/read-write-lock.js";
import { completeFederation, requireFederationName } from "./federation-settings.js";
import { requireFederation } from "./require-federation.js";

export interface FederationServicePorts {
  readonly catalog: Catalog;
  readonly backend: SearchBackend;
  readonly clock: Clock;
}

/**
 * Federations as callers see them (contract 3.8). Bodies come in as they were sent. Whoever reads, makes, changes
 * or deletes one must have all of its indexes in scope, or a federation would be a way around scopes; that is
 * looked at here, in turn with the changes, because what an earlier look saw may have been replaced.
 */
export class FederationService {
  readonly #ports: FederationServicePorts;
  /** Changes read and then write: in turn, or one could bring back what another has deleted. */
  readonly #changes = new ReadWriteLock();

  constructor(ports: FederationServicePorts) {
    this.#ports = ports;
  }

  /** Those whose indexes are all in the caller's scope, by name. */
  list(authority: Authority): readonly Federation[] {
    return this.#ports.catalog
      .federations()
      .filter(({ index_configurations: members }) =>
        authority.coversIndexes(members.map(({ name }) => name)),
      );
  }

  /**
   * The organization's federations that it can read: an active key that may search is tied to the
   * federation and to the organization. As in `list`, only those in the caller's scope.
   */
  listOfOrganization(id: string, authority: Authority): readonly Federation[] {
    const readKeys = this.#ports.catalog
      .keys()
      .filter(
        (key) =>
          key.status === "active" &&
          (key.permissions & PERMISSION.SEARCH) !== 0 &&
          key.organization_id?.toString() === id,
      );
    const readable = new Set(readKeys.map((key) => key.federation_name));
    return this.list(authority).filter(
      ({ name, organization_id }) => organization_id === id && readable.has(name),
    );
  }

  /** @throws FindlingError `index_not_allowed`; `federation_not_found` */
  get(name: string, authority: Authority): Federation {
    const { catalog } = this.#ports;
    requireMembersInScope(authority, name, memberNamesOf(catalog, name));
    return requireFederation(catalog, name);
  }

  /** @throws FindlingError as `get` */
  async stats(name: string, authority: Authority): Promise<FederationStats> {
    const { index_configurations: members } = this.get(name, authority);
    const indices = await Promise.all(members.map((member) => this.#indexStats(member.name)));
    return {
      federation_name: name,
      num_docs: indices.reduce((sum, { num_docs }) => sum + num_docs, 0),
      indices,
    };
  }

  /**
   * Creates a federation, or replaces the one of that name.
   *
   * @throws FindlingError `index_not_allowed` where an index of the body, there or not, or of the federation that
   *   is replaced isn't in scope; then `invalid_request`, `invalid_federation`
   */
  async create(body: unknown, authority: Authority): Promise<Federation> {
    return this.#changes.exclusive(async () => {
      const claimed = claimedFederation(body);
      const existing = claimed.name === undefined ? undefined : this.#ports.catalog.federation(claimed.name);
      if (existing !== undefined) this.get(existing.name, authority);
      for (const indexName of claimed.indexNames) requireIndexInScope(authority, indexName);
      const draft = parseFederationBody(body);
      return this.#put(requireFederationName(draft.name), draft, existing);
    });
  }

  /** @throws FindlingError `index_not_allowed` as `create`; `federation_not_found`; then as `create` */
  async replace(name: string, body: unknown, authority: Authority): Promise<Federation> {
    return this.#changes.exclusive(async () => {
      requireMembersInScope(authority, name, memberNamesOf(this.#ports.catalog, name));
      for (const indexName of claimedFederation(body).indexNames) requireIndexInScope(authority, indexName);
      const existing = this.get(name, authority);
      const draft = parseFederationBody(body);
      if (draft.name !== undefined && draft.name !== name) {
        throw new FindlingError(
          "invalid_federation",
          `'name' in the body is '${draft.name}', in the path '${name}'; a federation can't be renamed`,
        );
      }
      return this.#put(name, draft, existing);
    });
  }

  /** Its indexes stay. @throws FindlingError as `get` */
  async delete(name: string, authority: Authority): Promise<"federation deleted"> {
    return this.#changes.exclusive<"federation deleted">(async () => {
      await this.#ports.catalog.deleteFederation(name, this.get(name, authority));
      return "federation deleted";
    });
  }

  async #put(name: string, draft: FederationDraft, existing: Federation | undefined): Promise<Federation> {
    const { catalog, clock } = this.#ports;
    const federation = completeFederation(draft, {
      name,
      existing,
      nowMs: clock.now(),
      indexNames: [
        ...catalog.indexes().map(({ schema }) => schema.name),
        ...catalog.aliases().map(({ alias }) => alias),
      ],
    });
    await catalog.putFederation(federation, existing ?? null);
    return federation;
  }

  /** Zeros for an index that has been deleted, be it while it is counted. */
  async #indexStats(indexName: string): Promise<FederatedIndexStats> {
    const { catalog, backend } = this.#ports;
    const storageId = catalog.index(indexNameOf(catalog, indexName))?.storageId;
    const none = { index_name: indexName, num_docs: 0, space_usage: 0 };
    if (storageId === undefined) return none;
    try {
      const { documentCount, spaceUsage } = await backend.stats(storageId);
      return { index_name: indexName, num_docs: documentCount, space_usage: spaceUsage };
    } catch (error) {
      if (catalog.index(indexNameOf(catalog, indexName))?.storageId === storageId) throw error;
      return none;
    }
  }
}
