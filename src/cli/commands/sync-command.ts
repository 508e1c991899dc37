import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type FindlingClient,
  FindlingClientError,
  type IndexView,
  type NamedIndexDraft,
} from "../../client/index.js";
import type { FieldDefinition } from "../../contract/index-schema.js";
import { PassingFolder } from "../../engine/server-door.js";
import { CliError } from "../cli-error.js";
import { type Connection, type ConnectionOptions, connect } from "../connection.js";
import { BadDocumentsError } from "../import/bad-documents-error.js";
import { describeFields, inferAhead, readSchemaFile, schemaJson } from "../import/choose-schema.js";
import { parseEncoding } from "../import/decode-input.js";
import { findIndex } from "../import/find-index.js";
import { type ImportRecord, ImportSource, UnreadableInputError } from "../import/import-source.js";
import { IndexTransaction } from "../import/index-transaction.js";
import { type InputFormat, parseDelimiter } from "../import/input-format.js";
import { RETRY_SECONDS_MAX } from "../import/retry.js";
import { SkippedDocuments } from "../import/skipped-documents.js";
import { completedFields } from "../reindex/completed-fields.js";
import { alone } from "../sync/alone.js";
import { type DeletionLimit, parseDeletionLimit, requireFewDeletes } from "../sync/deletion-limit.js";
import { type KnownDocument, knownDocuments } from "../sync/known-documents.js";
import { type SyncCounts, SyncPlan } from "../sync/sync-plan.js";
import { fileStates, keepAnswerOf, requireUnchanged, sourceFiles } from "../sync/sync-source.js";
import { formatCount, formatCounted, formatDuration } from "../terminal/format-amount.js";
import type { Output } from "../terminal/output.js";

export interface SyncOptions extends ConnectionOptions {
  readonly index: string;
  readonly primaryKey?: string;
  readonly command?: string;
  readonly format?: InputFormat;
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly records?: string;
  readonly sheet?: string;
  readonly asIs?: boolean;
  readonly schema?: string;
  readonly maxDeletes?: string;
  readonly allowEmpty?: boolean;
  readonly skipBad?: boolean;
  readonly dryRun?: boolean;
  readonly retrySeconds?: number;
}

/** `findling sync [SOURCE…] --index NAME`: makes an index equal to a source, by keys, in one commit. */
export async function runSync(
  sources: readonly string[],
  options: SyncOptions,
  output: Output,
): Promise<void> {
  if ((options.command === undefined) === (sources.length === 0)) {
    throw new CliError("usage", "name files or folders, or give a command by --command");
  }
  const folder = await PassingFolder.make(tmpdir(), "findling-sync-");
  try {
    await new SyncRun(options, output, folder.path).run(sources);
  } finally {
    await folder.delete();
  }
}

/** Deletes that go in one request. */
const DELETES_PER_REQUEST = 1000;

class SyncRun {
  readonly #options: SyncOptions;
  readonly #output: Output;
  readonly #folder: string;
  readonly #limit: DeletionLimit | undefined;
  readonly #delimiter: string | undefined;
  readonly #encoding: string | undefined;
  readonly #skipped: SkippedDocuments;
  readonly #startedAt = performance.now();

  constructor(options: SyncOptions, output: Output, folder: string) {
    const { delimiter, encoding, maxDeletes } = options;
    this.#options = options;
    this.#output = output;
    this.#folder = folder;
    this.#limit = maxDeletes === undefined ? undefined : parseDeletionLimit(maxDeletes);
    this.#delimiter = delimiter === undefined ? undefined : parseDelimiter(delimiter);
    this.#encoding = encoding === undefined ? undefined : parseEncoding(encoding);
    this.#skipped = new SkippedDocuments((line) => output.note(line));
  }

  async run(sources: readonly string[]): Promise<void> {
    // What is wrong here needs no server to be told.
    const { schema, index, allowEmpty = false } = this.#options;
    await sourceFiles(sources, allowEmpty);
    if (schema !== undefined) await readSchemaFile(schema, index);
    const connection = await connect(this.#options);
    if (this.#options.dryRun === true) return await this.#run(connection, sources);
    await alone(connection.url, this.#options.index, () => this.#run(connection, sources));
  }

  async #run(connection: Connection, sources: readonly string[]): Promise<void> {
    const { index, dryRun } = this.#options;
    const existing = await findIndex(connection.client, index);
    const key = this.#keyOf(existing);
    const files = await this.#filesOf(sources);
    const before = await fileStates(sources.length === 0 ? [] : files);
    let records = this.#records(files);
    let draft: NamedIndexDraft | undefined;
    if (existing === undefined) ({ draft, records } = await this.#draft(key, records));
    const fields = (existing?.fields ?? draft!.fields) as Readonly<Record<string, FieldDefinition>>;
    requireKeyField(fields, key, index);
    if (draft !== undefined) draft = { ...draft, primary_key: key };
    const known =
      existing === undefined
        ? new Map<string, KnownDocument>()
        : await knownDocuments(connection.client, index, key);
    const plan = new SyncPlan({
      fields: completedFields(fields),
      key,
      known,
      path: join(this.#folder, "changed.ndjson"),
      onSkip: this.#options.skipBad === true ? (bad) => this.#skipped.add(bad) : undefined,
    });
    await this.#reading(() => plan.take(records));
    await requireUnchanged(sources, before);
    const { counts } = plan;
    this.#requireDocuments(plan);
    const documents = [...known.values()].reduce((sum, { ids }) => sum + ids.length, 0);
    requireFewDeletes(counts.deleted, { documents, limit: this.#limit, index });
    if ((existing?.auto_commit_delay ?? 0) > 0)
      this.#output.note(`'${index}' commits by itself: searches may see it half done for a moment`);
    if (dryRun !== true) await this.#write(connection, plan, draft);
    this.#tell(plan, counts, draft);
  }

  /** @throws CliError where nothing says by which field documents are told apart */
  #keyOf(existing: IndexView | undefined): string {
    const own = existing?.primary_key;
    const key = this.#options.primaryKey ?? own;
    if (key === undefined)
      throw new CliError("usage", "--primary-key must name the field that tells documents apart");
    if (own === undefined || own === key) return key;
    throw new CliError("other_key", `the primary key of '${this.#options.index}' is '${own}', not '${key}'`);
  }

  async #filesOf(sources: readonly string[]): Promise<readonly string[]> {
    const { command } = this.#options;
    if (command === undefined) return await sourceFiles(sources, this.#options.allowEmpty === true);
    const path = join(this.#folder, "answer");
    await keepAnswerOf(command, path);
    return [path];
  }

  #records(files: readonly string[]): AsyncGenerator<readonly ImportRecord[]> {
    const { format, records, sheet, asIs } = this.#options;
    this.#source = new ImportSource({
      files,
      format,
      records,
      sheet,
      asIs,
      delimiter: this.#delimiter,
      encoding: this.#encoding,
      onGuess: (guess) => this.#output.note(guess),
      onRename: (column, field) => this.#output.note(`column '${column}' becomes field '${field}'`),
      onEmpty: (name) => {
        this.#emptyFiles.push(name);
        this.#output.note(`${name} holds no document`);
      },
    });
    return this.#source.records();
  }

  #source: ImportSource | undefined;
  readonly #emptyFiles: string[] = [];

  /** The index that is to be made, by the schema file or by a guess. */
  async #draft(
    key: string,
    records: AsyncGenerator<readonly ImportRecord[]>,
  ): Promise<{ draft: NamedIndexDraft; records: AsyncGenerator<readonly ImportRecord[]> }> {
    const { schema, index, skipBad } = this.#options;
    if (schema !== undefined) return { draft: await readSchemaFile(schema, index), records };
    const ahead = await this.#reading(() =>
      inferAhead(records, {
        indexName: index,
        areValuesText: () => this.#source?.hasCsv === true,
        skipsBad: skipBad === true,
        primaryKey: key,
      }),
    );
    this.#output.note(describeFields(ahead));
    return { draft: ahead.inferred.index, records: ahead.records };
  }

  #requireDocuments(plan: SyncPlan): void {
    if (plan.documents > 0 || this.#options.allowEmpty === true) return;
    throw new CliError(
      "no_documents",
      "the source holds no document, so nothing has changed; if that is meant, say --allow-empty",
    );
  }

  async #write(connection: Connection, plan: SyncPlan, draft: NamedIndexDraft | undefined): Promise<void> {
    const { client } = connection;
    const { index, retrySeconds = RETRY_SECONDS_MAX } = this.#options;
    if (draft !== undefined) await client.createIndex(draft);
    const transaction = new IndexTransaction({ client, index, retrySecondsMax: retrySeconds });
    // By the first of all writes, any rollback since can be told.
    let first: { readonly id: string; readonly isAdded: boolean } | undefined;
    try {
      // What an earlier run left, if it was killed.
      await client.rollbackIndex(index);
      for await (const batch of plan.batches()) {
        await transaction.delete(batch.replacedIds);
        const { documentId } = await transaction.add(batch);
        if (documentId !== undefined) first ??= { id: documentId, isAdded: true };
      }
      const { deleted } = plan;
      for (let at = 0; at < deleted.length; at += DELETES_PER_REQUEST)
        await transaction.delete(deleted.slice(at, at + DELETES_PER_REQUEST));
      if (deleted.length > 0) first ??= { id: deleted[0]!, isAdded: false };
      await transaction.commit();
    } catch (failure) {
      await transaction.rollback();
      if (draft !== undefined) await client.deleteIndex(index).catch(() => undefined);
      throw explained(failure);
    }
    if (first === undefined || (await isThere(client, index, first.id)) === first.isAdded) return;
    throw new CliError(
      "conflict",
      `something else wrote to '${index}' at the same time, so it may differ from the source; run the sync again when that has ended`,
    );
  }

  async #reading<Result>(operation: () => Promise<Result>): Promise<Result> {
    try {
      return await operation();
    } catch (failure) {
      throw explained(failure);
    }
  }

  #tell(plan: SyncPlan, counts: SyncCounts, draft: NamedIndexDraft | undefined): void {
    const { index, dryRun = false } = this.#options;
    const seconds = (performance.now() - this.#startedAt) / 1000;
    const { added, replaced, deleted, unchanged } = counts;
    if (plan.ignoredFields.length > 0)
      this.#output.note(`not in the schema, so dropped: ${plan.ignoredFields.join(", ")}`);
    if (this.#skipped.count > 0)
      this.#output.note("nothing was deleted: documents that are gone may be among those that were skipped");
    const { repeated } = plan;
    for (const { key, before, place } of repeated.first)
      this.#output.note(`key '${key}' is in ${before} and again at ${place}, which counts`);
    if (repeated.count > repeated.first.length)
      this.#output.note(
        `so do ${formatCounted(repeated.count - repeated.first.length, "other document")} have a key that came before; the last one counts`,
      );
    const amounts = `${formatCount(added)} added, ${formatCount(replaced)} replaced, ${formatCount(deleted)} deleted, ${formatCount(unchanged)} as they were`;
    const skipped =
      this.#skipped.count === 0 ? "" : `, ${formatCounted(this.#skipped.count, "record")} skipped`;
    this.#output.result(
      {
        index,
        dry_run: dryRun,
        created: draft !== undefined && !dryRun,
        ...(draft !== undefined && { schema: draft }),
        ...counts,
        skipped: this.#skipped.count,
        bad: this.#skipped.first,
        ignored_fields: plan.ignoredFields,
        empty_files: this.#emptyFiles,
        repeated: repeated.count,
        seconds: Number(seconds.toFixed(3)),
      },
      dryRun
        ? `${draft === undefined ? "" : `${schemaJson(draft)}\n`}would be: ${amounts}${skipped}; nothing was sent`
        : `'${index}' in ${formatDuration(seconds)}: ${amounts}${skipped}`,
    );
  }
}

async function isThere(client: FindlingClient, index: string, documentId: string): Promise<boolean> {
  try {
    await client.getDocument(index, documentId);
    return true;
  } catch (failure) {
    if (failure instanceof FindlingClientError && failure.code === "document_not_found") return false;
    throw failure;
  }
}

function requireKeyField(
  fields: Readonly<Record<string, FieldDefinition>>,
  key: string,
  index: string,
): void {
  const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
  const isKey =
    field !== undefined && field.multi !== true && field.stored !== false && KEY_TYPES.includes(field.type);
  if (isKey) return;
  throw new CliError(
    "no_key",
    `'${key}' can't be the primary key of '${index}': it must be a stored, single field of type ${KEY_TYPES.join(", ")}`,
  );
}

const KEY_TYPES: readonly string[] = ["text", "u64", "i64"];

function explained(failure: unknown): unknown {
  if (failure instanceof BadDocumentsError) {
    return new CliError(
      "bad_document",
      `${failure.message}; nothing has changed: mend it, or leave bad ones out with --skip-bad, which deletes nothing`,
      failure,
    );
  }
  if (failure instanceof UnreadableInputError) {
    return new CliError("bad_document", `${failure.place}: ${failure.message}; nothing has changed`, failure);
  }
  return failure;
}
