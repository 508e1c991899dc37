import type { BackupFile, BackupIndex } from "../../contract/backup-manifest.js";
import { CorruptionError } from "../../errors/index.js";
import type { IndexFiles } from "../../ports/index-files.js";

/**
 * The files of an index in a backup by their names, which are those that its commit needs.
 *
 * @throws CorruptionError if the commit is damaged, or a file is missing or one too many
 */
export function expectedFiles(
  { name: index, commit, files }: BackupIndex,
  indexFiles: Pick<IndexFiles, "describe">,
): ReadonlyMap<string, BackupFile> {
  const source = `the backup of index '${index}'`;
  const expected = indexFiles.describe(source, commit).files;
  const byName = new Map(files.map((file) => [file.name, file]));
  const missing = expected.find((name) => !byName.has(name));
  if (missing !== undefined) throw new CorruptionError(source, `'${missing}' is missing in it`);
  if (byName.size !== expected.length) throw new CorruptionError(source, "it has files that no commit needs");
  return byName;
}
