import type { FindlingClient } from "../../client/index.js";
import type { BackupSummary, RestoreBegun, RestoredIndex } from "../../contract/backup-bodies.js";
import { CliError } from "../cli-error.js";
import { type ConnectionOptions, connect } from "../connection.js";
import { serverEnvironment } from "../local-server.js";
import { formatCounted } from "../terminal/format-amount.js";
import type { Output } from "../terminal/output.js";

export interface StoreOptions {
  /** Where backups are; default `FINDLING_BACKUP_URL`. */
  readonly from?: string;
}

export interface RestoreOptions extends StoreOptions, ConnectionOptions {
  readonly index?: string;
  readonly as?: string;
}

/** Servers answer once all is done. */
const PATIENCE = { timeoutMs: 24 * 60 * 60_000 };

type BackupStore = Awaited<ReturnType<typeof import("../../backups.js")["openBackups"]>>;

/** `findling backup create`: asks a running server to make one. */
export async function runBackupCreate(options: ConnectionOptions, output: Output): Promise<void> {
  const { client } = await connect(options);
  const { id } = await client.beginBackup();
  output.note(`making backup ${id}`);
  const summary = await whenMade(client, id);
  output.result(summary, describe(summary));
  const { failed, events_problem } = summary;
  const problems = failed.map(({ index, problem }) =>
    index === null
      ? `${problem}, and is in the backup as it is`
      : `index '${index}' is not in it: ${problem}`,
  );
  if (events_problem !== undefined) problems.push(`usage events are not in it: ${events_problem}`);
  if (problems.length === 0) return;
  throw new CliError("storage_corrupt", `the backup is made, but ${problems.join("; ")}`);
}

/** Nobody holds a connection open for as long as a large one may take. */
async function whenMade(client: FindlingClient, id: string): Promise<BackupSummary> {
  for (let pauseMs = 100; ; pauseMs = Math.min(5_000, pauseMs * 1.5)) {
    const { backups, running_id: running, last_failure: failure } = await client.listBackups(PATIENCE);
    const made = backups.find((backup) => backup.id === id);
    if (made !== undefined) return made;
    if (failure?.id === id) throw new CliError("backup_failed", failure.problem);
    if (running !== id) {
      const problem = `the server has stopped making backup '${id}'; its log says why`;
      throw new CliError("backup_failed", problem);
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

async function whenRestored(client: FindlingClient, { backup, as }: RestoreBegun): Promise<RestoredIndex> {
  for (let pauseMs = 100; ; pauseMs = Math.min(5_000, pauseMs * 1.5)) {
    const { restores = [] } = await client.listBackups(PATIENCE);
    const progress = restores.find((each) => each.backup === backup && each.as === as);
    if (progress?.state === "done") {
      const { document_count: documents = 0, missing = [] } = progress;
      return { index: as, document_count: documents, missing };
    }
    if (progress?.state !== "running") {
      const problem = progress?.problem ?? "the server has stopped restoring the index; its log says why";
      throw new CliError("restore_failed", problem);
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** `findling backup list`: what is in the store. */
export async function runBackupList(options: StoreOptions, output: Output): Promise<void> {
  const { store } = await openStore(options);
  const { summaryOf } = await import("../../backups.js");
  const listed = await store.list();
  const backups = listed.flatMap(({ manifest }) => (manifest === null ? [] : [summaryOf(manifest)]));
  const damaged = listed.flatMap(({ id, problem }) => (problem === null ? [] : [{ id, problem }]));
  output.result(
    { backups, damaged },
    [...backups.map(describe), ...damaged.map(({ id, problem }) => `${id}  DAMAGED  ${problem}`)].join(
      "\n",
    ) || "there are no backups",
  );
}

/** `findling backup verify [ID]`: reads every byte of it. */
export async function runBackupVerify(id: string, options: StoreOptions, output: Output): Promise<void> {
  const { store } = await openStore(options);
  const { verify } = await import("../../backups.js");
  const report = await verify(store, id);
  output.result(
    { ...report, sound: report.problems.length === 0 },
    report.problems.length === 0
      ? `${report.id} is sound: ${megabytes(report.checked_bytes)} were read`
      : report.problems
          .map(
            ({ index, file, problem }) =>
              `DAMAGED  ${index === null ? "" : `index '${index}': `}${file}: ${problem}`,
          )
          .join("\n"),
  );
  if (report.problems.length === 0) return;
  throw new CliError(
    "backup_damaged",
    `${formatCounted(report.problems.length, "problem")} in backup '${report.id}'`,
  );
}

/** `findling backup prune`: deletes old ones. */
export async function runBackupPrune(
  options: StoreOptions & { readonly keep?: number },
  output: Output,
): Promise<void> {
  const { store, configuration } = await openStore(options);
  const { prune } = await import("../../backups.js");
  const keep = options.keep ?? configuration.backupKeep;
  if (keep < 1) {
    throw new CliError("usage", "say how many backups stay: --keep 7, or FINDLING_BACKUP_KEEP=7");
  }
  const report = await prune(store, keep);
  output.result(
    report,
    `${formatCounted(report.deleted.length, "backup")} deleted, ${report.kept.length} left; ${megabytes(report.deleted_bytes)} freed`,
  );
  if (report.left_because !== null)
    output.warn(`files that no backup needs were left for the next time: ${report.left_because}`);
  else if (report.deleted.length > 0)
    output.note("what only the deleted ones needed is freed by the next 'findling backup prune'");
}

/** `findling backup restore [ID]`: all of it into an empty folder, or one index into a running server. */
export async function runBackupRestore(id: string, options: RestoreOptions, output: Output): Promise<void> {
  if (options.index !== undefined) return restoreIndex(id, options, output);
  if (options.as !== undefined)
    throw new CliError("usage", "--as names what --index restores: name the index, too");
  const { store, configuration } = await openStore(options);
  const { restoreDataFolder } = await import("../../backups.js");
  const { secretKey, measureMemoryMb } = configuration;
  const dataDir = options.dataDir ?? configuration.dataDir;
  const restored = await restoreDataFolder(store, id, { dataDir, secretKey, measureMemoryMb });
  output.result(
    { data_dir: dataDir, ...restored },
    [
      `'${dataDir}' is restored from ${restored.id}, with ${formatCounted(restored.indexes.length, "index", "indexes")}`,
      ...restored.missing.map((problem) => `MISSING  ${problem}`),
    ].join("\n"),
  );
  if (restored.failed.length === 0) return;
  const problems = restored.failed.map(({ index, problem }) =>
    index === null ? problem : `index '${index}': ${problem}`,
  );
  throw new CliError("backup_damaged", `not restored: ${problems.join("; ")}`);
}

async function restoreIndex(id: string, options: RestoreOptions, output: Output): Promise<void> {
  const { index, as } = options;
  if (index === undefined || as === undefined) {
    const problem = "an index is restored beside those that there are: give it another name with --as";
    throw new CliError("usage", problem);
  }
  const { client } = await connect(options);
  const begun = await client.beginRestore(id, { index, as });
  output.note(`restoring '${as}' from backup ${begun.backup}`);
  const restored = await whenRestored(client, begun);
  output.result(
    restored,
    [
      `index '${restored.index}' is there, with ${formatCounted(restored.document_count, "document")}`,
      ...restored.missing.map((problem) => `MISSING  ${problem}`),
    ].join("\n"),
  );
}

/** The store, and the configuration that names it unless the option does. */
async function openStore({ from }: StoreOptions): Promise<{
  readonly store: BackupStore;
  readonly configuration: Awaited<ReturnType<typeof loaded>>;
}> {
  const configuration = await loaded();
  const address = from ?? configuration.backupUrl;
  if (address === undefined) {
    throw new CliError(
      "usage",
      "say where the backups are: --from file:///var/backups/findling, or FINDLING_BACKUP_URL",
    );
  }
  const { openBackups } = await import("../../backups.js");
  return { store: await openBackups(address, process.env), configuration };
}

async function loaded() {
  const { loadConfiguration } = await import("../../config/index.js");
  return loadConfiguration({ env: serverEnvironment() });
}

function describe(summary: BackupSummary): string {
  const { id, indexes, total_bytes, uploaded_bytes, failed, events_problem } = summary;
  const documents = indexes.reduce((count, { document_count }) => count + document_count, 0);
  const pending = indexes.filter(({ pending_writes_left_out }) => pending_writes_left_out);
  return [
    `${id}  ${formatCounted(indexes.length, "index", "indexes")}, ${formatCounted(documents, "document")}, ${megabytes(total_bytes)}, of which ${megabytes(uploaded_bytes)} were new`,
    ...pending.map(({ name }) => `  writes to '${name}' waited for a commit and aren't in it`),
    ...failed.map(({ index, problem }) =>
      index === null ? `  DAMAGED  ${problem}` : `  MISSING  index '${index}': ${problem}`,
    ),
    ...(events_problem === undefined ? [] : [`  MISSING  usage events: ${events_problem}`]),
  ].join("\n");
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
