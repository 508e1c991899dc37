import { PERMISSION } from "../../contract/access-key.js";
import type { Federation } from "../../contract/federation.js";
import type {
  FederatedIndexStats,
  FederationDraft,
  FederationStats,
} from "../../contract/federation-bodies.js";
import { parseFederationBody } from "../../contract/federation-body.js";
import { FindlingError } from "../../errors/index.js";
import type { Catalog } from "../../ports/catalog.js";
import type { Clock } from "../../ports/clock.js";
import type { SearchBackend } from "../../ports/search-backend.js";
import { ReadWriteLock } from "../locks/read-write-lock.js";
import { completeFederation, requireFederationName } from "./federation-settings.js";
import { requireFederation } from "./require-federation.js";

export interface FederationServicePorts {
  readonly catalog: Catalog;
  readonly backend: SearchBackend;
  readonly clock: Clock;
}

/** Federations as callers see them (contract 3.8). Bodies come in as they were sent. */
export class FederationService {
  readonly #ports: FederationServicePorts;
  /** Changes read and then write: in turn, or one could bring back what another has deleted. */
  readonly #changes = new ReadWriteLock();

  constructor(ports: FederationServicePorts) {
    this.#ports = ports;
  }

  /** By name. */
  list(): readonly Federation[] {
    return this.#ports.catalog.federations();
  }

  /**
   * The organization's federations that it can read: an active key that may search is tied to the
   * federation and to the organization.
   */
  listOfOrganization(id: string): readonly Federation[] {
    const { catalog } = this.#ports;
    const readKeys = catalog
      .keys()
      .filter(
        (key) =>
          key.status === "active" &&
          (key.permissions & PERMISSION.SEARCH) !== 0 &&
          key.organization_id?.toString() === id,
      );
    const readable = new Set(readKeys.map((key) => key.federation_name));
    return catalog
      .federations()
      .filter(({ name, organization_id }) => organization_id === id && readable.has(name));
  }

  /** @throws FindlingError `federation_not_found` */
  get(name: string): Federation {
    return requireFederation(this.#ports.catalog, name);
  }

  /** @throws FindlingError `federation_not_found` */
  async stats(name: string): Promise<FederationStats> {
    const { index_configurations: members } = this.get(name);
    const indices = await Promise.all(members.map((member) => this.#indexStats(member.name)));
    return {
      federation_name: name,
      num_docs: indices.reduce((sum, { num_docs }) => sum + num_docs, 0),
      indices,
    };
  }

  /** Creates a federation, or replaces the one of that name. @throws FindlingError `invalid_request`, `invalid_federation` */
  async create(body: unknown): Promise<Federation> {
    const draft = parseFederationBody(body);
    const name = requireFederationName(draft.name);
    return this.#changes.exclusive(async () => this.#put(name, draft, this.#ports.catalog.federation(name)));
  }

  /** @throws FindlingError `federation_not_found`, then as `create` */
  async replace(name: string, body: unknown): Promise<Federation> {
    return this.#changes.exclusive(async () => {
      const existing = this.get(name);
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

  /** Its indexes stay. @throws FindlingError `federation_not_found` */
  async delete(name: string): Promise<"federation deleted"> {
    return this.#changes.exclusive<"federation deleted">(async () => {
      this.get(name);
      await this.#ports.catalog.deleteFederation(name);
      return "federation deleted";
    });
  }

  async #put(name: string, draft: FederationDraft, existing: Federation | undefined): Promise<Federation> {
    const { catalog, clock } = this.#ports;
    const federation = completeFederation(draft, {
      name,
      existing,
      nowMs: clock.now(),
      indexNames: catalog.indexes().map(({ schema }) => schema.name),
    });
    await catalog.putFederation(federation);
    return federation;
  }

  /** Zeros for an index that has been deleted, be it while it is counted. */
  async #indexStats(indexName: string): Promise<FederatedIndexStats> {
    const { catalog, backend } = this.#ports;
    const storageId = catalog.index(indexName)?.storageId;
    const none = { index_name: indexName, num_docs: 0, space_usage: 0 };
    if (storageId === undefined) return none;
    try {
      const { documentCount, spaceUsage } = await backend.stats(storageId);
      return { index_name: indexName, num_docs: documentCount, space_usage: spaceUsage };
    } catch (error) {
      if (catalog.index(indexName)?.storageId === storageId) throw error;
      return none;
    }
  }
}
