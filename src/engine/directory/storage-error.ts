import { CorruptionError, FindlingError } from "../../errors/index.js";

/** What the operating system's codes mean for whoever has to mend it. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission is denied",
  EBUSY: "it is in use",
  EDQUOT: "the disk quota is used up",
  EEXIST: "a file of that name exists already",
  EFBIG: "the file would be larger than the file system allows",
  EIO: "the device reports a read or write error",
  EISDIR: "it is a folder",
  EMFILE: "this process has too many files open",
  ENAMETOOLONG: "the name is too long",
  ENFILE: "the system has too many files open",
  ENODEV: "the device is gone",
  ENOMEM: "the system is out of memory",
  ENOSPC: "the disk is full",
  ENOTDIR: "part of the path is no folder",
  ENXIO: "the device is gone",
  EPERM: "permission is denied",
  EROFS: "the file system is read-only",
  ESTALE: "the network file system has lost the file",
  ETIMEDOUT: "the device doesn't answer",
};

/** The code of an operating system error, such as `ENOSPC`, else undefined. */
export function systemErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Whether a file couldn't be opened for want of descriptors: nothing has been done to it, and it may be tried again. */
export function isWantOfDescriptors(error: unknown): boolean {
  const code = systemErrorCode(error instanceof FindlingError ? error.cause : error);
  return code === "EMFILE" || code === "ENFILE";
}

/** Whether a file system takes nothing new, full or read-only as it is: what is there can still be read. */
export function isWantOfRoom(error: unknown): boolean {
  const code = systemErrorCode(error instanceof FindlingError ? error.cause : error);
  return code === "EROFS" || code === "ENOSPC" || code === "EDQUOT";
}

/**
 * The error to throw for what went wrong while doing `action` (such as "write") to `path`: a missing
 * file is a `CorruptionError`, since the engine only opens files that a commit names; everything else
 * is `storage_unavailable` with the reason in words. A `FindlingError` passes as it is.
 */
export function storageError(action: string, path: string, error: unknown): FindlingError {
  if (error instanceof FindlingError) return error;
  const code = systemErrorCode(error);
  if (code === "ENOENT") return new CorruptionError(path, "it is missing", { cause: error });
  const known = code === undefined ? undefined : REASONS[code];
  const reason = known ?? (error instanceof Error ? error.message : String(error));
  return new FindlingError("storage_unavailable", `cannot ${action} '${path}': ${reason}`, { cause: error });
}
