import type { CallerView } from "../../src/client/index.js";
import { ALL_ADMIN_PERMISSIONS, PERMISSION } from "../../src/contract/access-key.js";

/** What a key may do, as the pages ask: what it may not isn't offered. */
export interface Abilities {
  readonly search: boolean;
  readonly write: boolean;
  /** Reading and changing settings of an index, deleting it. */
  readonly changeIndexes: boolean;
  readonly createIndexes: boolean;
  readonly federations: boolean;
  readonly keys: boolean;
  /** Dashboards of usage events. */
  readonly measure: boolean;
  /** Every bit of 63: what is about the server as a whole. */
  readonly operate: boolean;
  /** Whether every index is in scope. */
  readonly everything: boolean;
}

export function abilitiesOf({ permissions, allowed_indexes: allowed }: CallerView): Abilities {
  const holds = (bits: number): boolean => (permissions & bits) === bits;
  return {
    search: holds(PERMISSION.SEARCH),
    write: holds(PERMISSION.INGEST),
    changeIndexes: holds(PERMISSION.UPDATE_INDEX),
    createIndexes: holds(PERMISSION.MODIFY_INDEX),
    federations: holds(PERMISSION.ADMIN),
    keys: holds(PERMISSION.MODIFY_AUTH | PERMISSION.ADMIN),
    measure: holds(PERMISSION.INGEST),
    operate: holds(ALL_ADMIN_PERMISSIONS),
    everything: allowed.includes("*"),
  };
}

/** The bits of a mask, least first. */
export function bitsOf(permissions: number): readonly number[] {
  return Object.values(PERMISSION).filter((bit) => (permissions & bit) !== 0);
}

export { PERMISSION };
