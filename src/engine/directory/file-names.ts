import { FindlingError } from "../../errors/index.js";

/**
 * Names that a directory keeps for itself: its lock and its unfinished files. `list` leaves them out.
 */
export function isReservedName(name: string): boolean {
  return name.startsWith(".") || name.endsWith(".tmp");
}

/** The name that a file has until it is whole. */
export function temporaryName(name: string): string {
  return `.${name}.tmp`;
}

/** @throws FindlingError `internal` for a name that is reserved, empty, or would leave the folder */
export function checkFileName(name: string): void {
  if (
    name === "" ||
    isReservedName(name) ||
    name.includes("/") ||
    name.includes("\\") ||
    name.includes("\0")
  ) {
    throw new FindlingError("internal", `'${name}' is no name for a file of an index`);
  }
}
