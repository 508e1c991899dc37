import { FindlingError } from "../../errors/index.js";

const INDEX_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

/** `GET /index/stats` is a route of its own, so no index can have that name. */
const RESERVED_NAME = "stats";

/** Whether an index, or a federation, could have the name. */
export function isIndexName(name: string): boolean {
  return name !== RESERVED_NAME && INDEX_NAME.test(name);
}

/** @throws FindlingError `invalid_index` for a name that contract 4.1 forbids */
export function requireIndexName(name: string | undefined): string {
  if (name === undefined)
    throw new FindlingError("invalid_index", "'name', the name of the index, is missing");
  if (name === RESERVED_NAME) {
    throw new FindlingError(
      "invalid_index",
      `'${RESERVED_NAME}' can't be the name of an index, take another one`,
    );
  }
  if (!INDEX_NAME.test(name)) {
    throw new FindlingError(
      "invalid_index",
      "the name of an index starts with a letter or digit and has at most 128 letters, digits, '_' and '-'",
    );
  }
  return name;
}
