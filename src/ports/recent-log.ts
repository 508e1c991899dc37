import type { LogLine } from "../contract/admin.js";

/** The log's last lines, kept for its operator. */
export interface RecentLog {
  /** Those behind the line of that number, the oldest first; 0: all that are kept. */
  linesAfter(number: number): readonly LogLine[];
  /** The number of the last line; 0 if there was none. */
  readonly last: number;
}
