import { CliError } from "../cli-error.js";
import { formatCount, formatCounted } from "../terminal/format-amount.js";

/** How many documents a sync may delete. */
export interface DeletionLimit {
  readonly amount: number;
  /** Whether the amount is per cent of the index's documents. */
  readonly isShare: boolean;
}

/** @throws CliError unless the text is a whole number, or a number from 0 to 100 with a per cent sign */
export function parseDeletionLimit(text: string): DeletionLimit {
  const share = /^(\d+(?:\.\d+)?)\s*%$/.exec(text);
  if (share !== null && Number(share[1]) <= 100) return { amount: Number(share[1]), isShare: true };
  if (/^\d+$/.test(text)) return { amount: Number(text), isShare: false };
  throw new CliError("usage", "--max-deletes must be a whole number or a share such as 5%");
}

/** @throws CliError `too_many_deletes` where more would go */
export function requireFewDeletes(
  deleted: number,
  { documents, limit, index }: { documents: number; limit: DeletionLimit | undefined; index: string },
): void {
  if (limit === undefined) return;
  const most = limit.isShare ? (documents * limit.amount) / 100 : limit.amount;
  if (deleted <= most) return;
  const shown = limit.isShare
    ? `${limit.amount} % (${formatCount(Math.floor(most))})`
    : formatCount(limit.amount);
  throw new CliError(
    "too_many_deletes",
    `${formatCounted(deleted, "document")} of ${formatCount(documents)} in '${index}' would be deleted, and --max-deletes allows ${shown}; nothing has changed`,
  );
}
