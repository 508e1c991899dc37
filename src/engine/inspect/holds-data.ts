import type { Directory } from "../directory/directory.js";
import { journalName } from "../indexer/commit-point.js";
import { isIndexFile } from "../indexer/open-index-writer.js";
import { EMPTY_JOURNAL_LENGTH } from "../journal/journal.js";

/**
 * Whether a folder holds anything of an index: a commit point, segments, writes in a journal. The first journal, empty
 * and alone, is what a creation leaves that a crash has ended.
 *
 * @throws FindlingError `storage_unavailable`
 */
export async function holdsData(directory: Directory): Promise<boolean> {
  const names = (await directory.list()).filter(isIndexFile);
  if (names.some((name) => name !== journalName(1))) return true;
  if (names.length === 0) return false;
  const journal = await directory.open(journalName(1));
  journal.close();
  return journal.size > EMPTY_JOURNAL_LENGTH;
}
