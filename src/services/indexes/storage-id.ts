import type { StorageId } from "../../ports/search-backend.js";

/** Random, so that an index made anew never meets what is left of an old one. */
export function newStorageId(): StorageId {
  return crypto.randomUUID().replaceAll("-", "");
}
