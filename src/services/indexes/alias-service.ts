import { type Alias, parseAliasBody, parseSwapBody } from "../../contract/aliases.js";
import { FindlingError } from "../../errors/index.js";
import type { Catalog } from "../../ports/catalog.js";
import type { Authority } from "../authority/authority.js";
import { requireIndexInScope } from "../authority/scope-rule.js";
import type { IndexLocks } from "../locks/index-locks.js";
import { isIndexName } from "./index-name.js";

/** `POST /alias/swap` is a route of its own. */
const RESERVED_NAME = "swap";

export interface AliasServicePorts {
  readonly catalog: Catalog;
  readonly locks: IndexLocks;
}

/**
 * Second names of indexes. A change holds the locks of all names that it is about, so that no index comes to be under
 * an alias's name, or goes while it gets one.
 */
export class AliasService {
  readonly #ports: AliasServicePorts;

  constructor(ports: AliasServicePorts) {
    this.#ports = ports;
  }

  /** Those in scope by their own names or by their indexes', sorted. */
  list(authority: Authority): readonly Alias[] {
    return this.#ports.catalog
      .aliases()
      .filter(({ alias, index }) => authority.coversIndex(alias) || authority.coversIndex(index));
  }

  /**
   * @param body as it was sent
   * @throws FindlingError `index_not_allowed`, `invalid_request`, `alias_conflict` where an index has the name,
   *   `index_not_found`
   */
  async put(alias: string, body: unknown, authority: Authority): Promise<"alias set"> {
    requireIndexInScope(authority, alias);
    const index = parseAliasBody(body);
    if (alias === RESERVED_NAME || !isIndexName(alias)) {
      throw new FindlingError(
        "invalid_request",
        `'${alias}' can't be an alias: it is a name as an index may have, other than '${RESERVED_NAME}'`,
      );
    }
    await this.#change([{ alias, index }], authority);
    return "alias set";
  }

  /** @throws FindlingError `index_not_allowed`, `invalid_request`, `alias_not_found`, `index_not_found` */
  async swap(body: unknown, authority: Authority): Promise<"aliases swapped"> {
    const swapped = parseSwapBody(body);
    for (const { alias } of swapped) requireIndexInScope(authority, alias);
    await this.#change(swapped, authority, (alias) => this.#target(alias));
    return "aliases swapped";
  }

  /** @throws FindlingError `index_not_allowed`, `alias_not_found` */
  async delete(alias: string, authority: Authority): Promise<"alias deleted"> {
    requireIndexInScope(authority, alias);
    await this.#ports.locks.exclusive(alias, async () => {
      requireIndexInScope(authority, this.#target(alias));
      await this.#ports.catalog.changeAliases([{ alias, index: null }]);
    });
    return "alias deleted";
  }

  #change(
    changes: readonly Alias[],
    authority: Authority,
    require: (alias: string) => unknown = () => undefined,
  ): Promise<void> {
    const { catalog } = this.#ports;
    const names = new Set(changes.flatMap(({ alias, index }) => [alias, index]));
    // In one order, so that no two changes wait for each other.
    return this.#locked([...names].toSorted(), async () => {
      for (const { alias, index } of changes) {
        requireIndexInScope(authority, index);
        const former = catalog.alias(alias);
        if (former !== undefined) requireIndexInScope(authority, former);
        if (catalog.index(alias) !== undefined) {
          throw new FindlingError("alias_conflict", `'${alias}' is an index; give the alias another name`);
        }
        require(alias);
        if (catalog.index(index) === undefined)
          throw new FindlingError("index_not_found", `index '${index}' does not exist`);
      }
      await catalog.changeAliases(changes);
    });
  }

  #locked(names: readonly string[], run: () => Promise<void>): Promise<void> {
    const [first, ...rest] = names;
    if (first === undefined) return run();
    return this.#ports.locks.exclusive(first, () => this.#locked(rest, run));
  }

  #target(alias: string): string {
    const index = this.#ports.catalog.alias(alias);
    if (index !== undefined) return index;
    throw new FindlingError("alias_not_found", `there is no alias '${alias}'; PUT /alias/${alias} makes one`);
  }
}
