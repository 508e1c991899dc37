/** Why a file can't be read, as words that follow its name. */
export function readProblem(failure: unknown): string {
  const { code = "unknown reason" } = failure as NodeJS.ErrnoException;
  switch (code) {
    case "ENOENT":
      return "does not exist";
    case "EISDIR":
      return "is a folder, not a file";
    case "ENOTDIR":
      return "does not exist: a part of its path is no folder";
    case "EACCES":
    case "EPERM":
      return "can't be read by this user";
    default:
      return `can't be read (${code})`;
  }
}

/** Why a file can't be written, likewise. */
export function writeProblem(failure: unknown): string {
  const { code = "unknown reason" } = failure as NodeJS.ErrnoException;
  switch (code) {
    case "ENOENT":
      return "can't be written: its folder does not exist";
    case "EISDIR":
      return "can't be written: it is a folder";
    case "ENOTDIR":
      return "can't be written: a part of its path is no folder";
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return "can't be written by this user";
    case "ENOSPC":
    case "EDQUOT":
      return "can't be written: there is no room left";
    default:
      return `can't be written (${code})`;
  }
}
