import { existsSync } from "node:fs";
import { join } from "node:path";
import type { StoredIndex } from "../../adapters/catalog/read-data-folder.js";
import type { CheckedEvents } from "../../adapters/events/duckdb/check-duckdb.js";
import { CorruptionError, FindlingError } from "../../errors/index.js";
import { CliError } from "../cli-error.js";
import { type LocalServer, localServer } from "../local-server.js";
import { findOrphans } from "../orphaned-files.js";
import { describeSetAside, findSetAside } from "../set-aside-folders.js";
import { formatCount, formatCounted } from "../terminal/format-amount.js";
import type { Output } from "../terminal/output.js";

interface FoundProblem {
  /** Undefined for the catalog's own files. */
  readonly index?: string;
  readonly file: string;
  readonly problem: string;
}

interface CheckedIndex {
  readonly name: string;
  readonly documents: number;
  readonly segments: number;
  readonly commits_in_journal: number;
  readonly pending_writes: number;
  readonly leftovers: readonly string[];
  /** Those that don't say which segment or index they belong to. */
  readonly unbound_files: number;
}

/** What a start on the folder should know though nothing in it is damaged. */
interface SecretNotice {
  /** Undefined for what is about the access keys. */
  readonly index?: string;
  readonly problem: string;
}

/** `findling check`: reads every stored byte and changes none. */
export async function runCheck(dataDir: string | undefined, output: Output): Promise<void> {
  const { readStoredIndexes } = await import("../../adapters/catalog/read-data-folder.js");
  const { checkIndex, FileDirectory } = await import("../../engine/server-door.js");
  const server = await localServer(dataDir);
  if (server.isOnCluster && dataDir === undefined) {
    throw new CliError(
      "usage",
      "the server keeps everything in an OpenSearch cluster (FINDLING_BACKEND=opensearch), which verifies its files itself; 'findling doctor' reads the catalog and the indexes' states there, and 'findling check FOLDER' a data folder",
    );
  }
  const folder = server.dataDir;
  const stored = readStoredIndexes(folder);
  const problems: FoundProblem[] = stored.damage.map((damage) => ({
    file: damage.file,
    problem: damage.message,
  }));
  const indexes: CheckedIndex[] = [];
  for (const { name, folder: indexFolder, entry } of stored.indexes) {
    try {
      const report = await checkIndex(
        await FileDirectory.open(indexFolder, { create: false }),
        entry.storageId,
      );
      problems.push(...report.problems.map((each) => ({ index: name, ...each })));
      const { documents, segments, commitsInJournal, pendingWrites, leftovers, unbound } = report;
      indexes.push({
        name,
        documents,
        segments,
        commits_in_journal: commitsInJournal,
        pending_writes: pendingWrites,
        leftovers,
        unbound_files: unbound.length,
      });
    } catch (error) {
      if (!(error instanceof FindlingError)) throw error;
      problems.push({ index: name, file: indexFolder, problem: error.message });
    }
  }
  const { checkWaitingEvents } = await import("../../adapters/events/queue/check-waiting-events.js");
  for (const { file, message } of await checkWaitingEvents(join(folder, "measure", "waiting"))) {
    problems.push({ file, problem: message });
  }
  const { checkDuckDb } = await import("../../adapters/events/duckdb/check-duckdb.js");
  const events = await checkDuckDb(join(folder, "measure", "events.duckdb"));
  if (events.damage !== null) problems.push({ file: events.damage.file, problem: events.damage.message });
  if (existsSync(join(folder, ".restoring")) && !existsSync(join(folder, "catalog"))) {
    const problem = "a restore into the folder was cut off: run it again";
    problems.push({ file: join(folder, ".restoring"), problem });
  }
  const secrets = await checkSecrets(server, stored.indexes, problems);
  const orphans = findOrphans(folder, stored.indexes);
  const backups = server.backupUrl === undefined ? null : await checkBackups(server.backupUrl);
  problems.push(...(backups?.problems ?? []));
  const setAside = await findSetAside(folder, stored.indexes);
  const problemCount = problems.length + setAside.length;
  output.result(
    {
      data_dir: folder,
      sound: problemCount === 0,
      indexes,
      events: { stored: events.events, ...(events.unread !== null && { unread: events.unread }) },
      ...(backups !== null && { backups: backups.count }),
      problems,
      set_aside: setAside,
      secrets,
      orphans,
    },
    [
      ...indexes.map(describeIndex),
      ...describeEvents(events),
      ...(backups === null ? [] : [`backups: ${formatCounted(backups.count, "manifest")}`]),
      ...secrets.map(({ problem }) => `SECRET   ${problem}`),
      ...orphans.map(({ path, what }) => `ORPHAN   '${path}': ${what} (harmless)`),
      ...setAside.map(describeSetAside).map(({ finding, advice }) => `ASIDE    ${finding}: ${advice}`),
      ...problems.map(describeProblem),
    ].join("\n") || "there are no indexes",
  );
  if (problemCount === 0) {
    output.note(`'${folder}' is sound`);
    return;
  }
  throw new CliError(
    "storage_corrupt",
    `${problemCount} ${problemCount === 1 ? "problem" : "problems"} in '${folder}'; if a server is running on it, stop that and check again`,
  );
}

/** Another key is no damage: it may only be missing here. Damage is added to the problems. */
async function checkSecrets(
  { dataDir: folder, secretKey }: LocalServer,
  indexes: readonly StoredIndex[],
  problems: FoundProblem[],
): Promise<readonly SecretNotice[]> {
  const { checkStoredKeys, checkStoredSecrets } = await import(
    "../../adapters/catalog/check-stored-secrets.js"
  );
  try {
    const found = [
      ...(await checkStoredKeys(folder, secretKey)),
      ...(await checkStoredSecrets(folder, indexes, secretKey)),
    ];
    const damaged = found.filter(({ isDamage }) => isDamage);
    problems.push(...damaged.map(({ isDamage: _, ...problem }) => problem));
    return found
      .filter(({ isDamage }) => !isDamage)
      .map(({ isDamage: _damage, file: _file, ...notice }) => notice);
  } catch (error) {
    if (!(error instanceof CorruptionError)) throw error;
    problems.push({ file: error.file, problem: error.message });
    return [];
  }
}

/** Manifests, and whether every piece that they name is there with its length; `findling backup verify` reads them all. */
async function checkBackups(
  address: string,
): Promise<{ readonly count: number; readonly problems: readonly FoundProblem[] }> {
  const { checkManifests, openBackups } = await import("../../backups.js");
  try {
    return await checkManifests(await openBackups(address, process.env));
  } catch (error) {
    if (!(error instanceof FindlingError)) throw error;
    return { count: 0, problems: [{ file: "backups", problem: error.message }] };
  }
}

function describeEvents({ events, unread }: CheckedEvents): readonly string[] {
  if (unread !== null) return [`usage events: not read, ${unread}`];
  return events === null || events === 0 ? [] : [`usage events: ${formatCount(events)} stored`];
}

function describeIndex(index: CheckedIndex): string {
  const { name, documents, segments, commits_in_journal, pending_writes, leftovers, unbound_files } = index;
  const later =
    commits_in_journal === 0 ? "" : `, ${formatCount(commits_in_journal)} commits on top in the journal`;
  const pending = pending_writes === 0 ? "" : `, ${formatCount(pending_writes)} writes not committed`;
  const left = leftovers.length === 0 ? "" : `, ${leftovers.length} leftover files (harmless)`;
  const unbound =
    unbound_files === 0 ? "" : `, ${unbound_files} files of an earlier version that don't say whose they are`;
  return `index '${name}': ${formatCount(documents)} documents in ${formatCount(segments)} ${segments === 1 ? "segment" : "segments"}${later}${pending}${left}${unbound}`;
}

function describeProblem({ index, file, problem }: FoundProblem): string {
  const where = index === undefined ? "" : `index '${index}': `;
  return `DAMAGED  ${where}${problem.includes(file) ? problem : `${file}: ${problem}`}`;
}
