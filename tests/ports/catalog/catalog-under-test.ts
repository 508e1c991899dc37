import type { Catalog } from "../../../src/ports/catalog.js";

/** Where one catalog is kept, which several may open one after the other. */
export interface CatalogStorage {
  /** Opens what the storage holds, for one test at a time. */
  open(): Promise<Catalog>;
  /** Everything that the storage holds, as bytes in one: no secret may stand in it. */
  bytes(): Promise<Buffer>;
  /** Until it is called, writes can't reach the storage; afterwards they can again. */
  breakWrites(): Promise<() => Promise<void>>;
  remove(): Promise<void>;
}
