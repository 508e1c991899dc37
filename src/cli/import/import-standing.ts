import { formatCounted } from "../terminal/format-amount.js";
import type { InputPrefix } from "./import-progress-file.js";

/** How things are after an import that failed. */
export interface ImportStanding {
  readonly hasCommitted: boolean;
  readonly text: string;
  readonly nextStep: string;
}

/** `isUndone`: even the index that the import had made is gone again. */
export function standingOf(committed: InputPrefix, isUndone: boolean): ImportStanding {
  if (committed.records > 0) {
    const text = `the first ${formatCounted(committed.records, "document")} are committed`;
    return { hasCommitted: true, text, nextStep: "go on with --resume" };
  }
  const text = isUndone
    ? "nothing was imported, and the index made for it is removed again"
    : "nothing was imported";
  return { hasCommitted: false, text, nextStep: "import again" };
}

/** What to do about bad input, and what there is already; without a standing nothing was begun. */
export function adviceToMend(stands: ImportStanding | undefined): string {
  if (stands === undefined) return "mend it";
  const rest = stands.hasCommitted ? ", the rest was rolled back" : "";
  return `${stands.text}${rest}; mend it and ${stands.nextStep}`;
}
