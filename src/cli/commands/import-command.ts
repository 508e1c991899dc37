import type { IndexView, NamedIndexDraft } from "../../client/index.js";
import { CliError } from "../cli-error.js";
import { type Connection, type ConnectionOptions, connect } from "../connection.js";
import { EXIT } from "../exit-codes.js";
import { AbsentFields } from "../import/absent-fields.js";
import { type BadDocument, BadDocumentsError } from "../import/bad-documents-error.js";
import { batchesAfter } from "../import/batches.js";
import {
  describeFields,
  inferAhead,
  type ReadAhead,
  readSchemaFile,
  schemaJson,
  wordToSearch,
} from "../import/choose-schema.js";
import { parseEncoding } from "../import/decode-input.js";
import { DocumentImporter } from "../import/document-importer.js";
import { readEarlierImport, startAfter } from "../import/earlier-import.js";
import { findIndex } from "../import/find-index.js";
import {
  type ImportProgress,
  type InputPrefix,
  progressFilePath,
  removeProgressFile,
  writeProgressFile,
} from "../import/import-progress-file.js";
import { type ImportRecord, ImportSource, UnreadableInputError } from "../import/import-source.js";
import { adviceToMend, type ImportStanding, standingOf } from "../import/import-standing.js";
import { IndexTransaction } from "../import/index-transaction.js";
import { isStandardInput } from "../import/input-file.js";
import { type InputFormat, parseDelimiter } from "../import/input-format.js";
import { RETRY_SECONDS_MAX } from "../import/retry.js";
import { SchemaCheck } from "../import/schema-check.js";
import { SkippedDocuments } from "../import/skipped-documents.js";
import { firstSearch } from "../pasted-search.js";
import { confirm } from "../terminal/confirm.js";
import { formatCount, formatCounted, formatDuration } from "../terminal/format-amount.js";
import type { Output } from "../terminal/output.js";
import { ProgressBar } from "../terminal/progress-bar.js";

export interface ImportOptions extends ConnectionOptions {
  readonly index: string;
  readonly format?: InputFormat;
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly records?: string;
  readonly sheet?: string;
  readonly asIs?: boolean;
  readonly schema?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly skipBad?: boolean;
  readonly commitEvery: number;
  readonly resume?: boolean;
  readonly resumeAfter?: number;
  readonly restart?: boolean;
  readonly state?: string;
  readonly retrySeconds?: number;
  readonly primaryKey?: string;
  readonly replace?: boolean;
}

/** `findling import FILE… --index NAME`. */
export async function runImport(
  files: readonly string[],
  options: ImportOptions,
  output: Output,
): Promise<void> {
  const run = new ImportRun(files, options, output);
  await (options.dryRun === true ? run.dryRun() : run.import());
}

/** One run of the command, from its arguments to its last line. */
class ImportRun {
  readonly #files: readonly string[];
  readonly #options: ImportOptions;
  readonly #output: Output;
  readonly #source: ImportSource;
  readonly #bar: ProgressBar;
  readonly #skipped: SkippedDocuments;
  readonly #interruption = new AbortController();
  /** Time spent waiting for the user's answer is moved over. */
  #startedAt = performance.now();
  readonly #absent = new AbsentFields();
  /** Names of the index's fields. */
  #fields: readonly string[] = [];
  /** What an index was made from in this run. */
  #guessed: ReadAhead | undefined;

  constructor(files: readonly string[], options: ImportOptions, output: Output) {
    this.#files = files;
    this.#options = options;
    this.#output = output;
    this.#bar = new ProgressBar(process.stderr);
    this.#skipped = new SkippedDocuments((line) => this.#say(line));
    this.#source = new ImportSource({
      files,
      format: options.format,
      delimiter: options.delimiter === undefined ? undefined : parseDelimiter(options.delimiter),
      encoding: options.encoding === undefined ? undefined : parseEncoding(options.encoding),
      records: options.records,
      sheet: options.sheet,
      asIs: options.asIs,
      onGuess: (guess) => this.#say(guess),
      onRename: (column, field) => this.#say(`column '${column}' becomes field '${field}'`),
    });
  }

  /** Reads everything as the server would, and sends nothing. */
  async dryRun(): Promise<void> {
    const bytesTotal = await this.#source.totalBytes();
    const { schema, index: name } = this.#options;
    let records: AsyncIterable<readonly ImportRecord[]> = this.#source.records();
    let index: NamedIndexDraft;
    if (schema === undefined) {
      const ahead = await this.#reading(() => this.#inferAhead(this.#source.records()));
      this.#showGuess(ahead);
      index = ahead.inferred.index;
      records = ahead.records;
    } else {
      index = await readSchemaFile(schema, name);
    }
    let documents = 0;
    const check = new SchemaCheck(index.fields);
    const batches = batchesAfter(NOTHING, this.#absent.records(check.records(records)), this.#onSkip());
    await this.#reading(async () => {
      for await (const batch of batches) {
        documents += batch.texts.length;
        this.#advance(documents, 0, bytesTotal);
      }
    });
    this.#bar.clear();
    const skipped = this.#skipped;
    if (schema !== undefined)
      this.#tellFields(check.ignoredFields, this.#absent.of(Object.keys(index.fields)));
    this.#output.result(
      { dry_run: true, documents, skipped: skipped.count, bad: skipped.first, index },
      schemaJson(index),
    );
    this.#output.note(
      `${formatCounted(documents, "document")} could be read${skippedRemark(skipped)}; nothing was sent`,
    );
  }

  async import(): Promise<void> {
    const bytesTotal = await this.#source.totalBytes();
    const connection = await connect(this.#options);
    const statePath = this.#options.state ?? (await progressFilePath(this.#files, this.#options.index));
    const earlier = await readEarlierImport(statePath, {
      connection,
      files: this.#files,
      asked: this.#options,
    });
    const existing = await findIndex(connection.client, this.#options.index);
    this.#checkIndex(existing, earlier);
    if (existing !== undefined && this.#options.replace === true) {
      await this.#replaceAll(connection, existing, bytesTotal);
      return;
    }
    if (existing !== undefined) await this.#requireKey(connection, existing);
    if (existing !== undefined) this.#fields = Object.keys(existing.fields);
    const start = await startAfter(earlier, connection.client, this.#options.resumeAfter);
    if (start.records > 0) this.#say(`going on after document ${formatCount(start.records)}`);
    let records: AsyncIterable<readonly ImportRecord[]> = this.#source.records();
    if (existing === undefined) records = await this.#createIndex(connection, this.#source.records());
    else if (start.records === 0) await this.#remarkOnDocuments(connection, existing);
    const importer = this.#importer(connection, { statePath, start, existing, bytesTotal });
    records = this.#absent.records(records);
    const stopListening = this.#listenForInterruption();
    try {
      await this.#saveProgress(connection, statePath, start);
      await importer.run(batchesAfter(start, records, this.#onSkip()));
    } catch (failure) {
      const isUndone = existing === undefined && (await this.#removeEmptyIndex(connection, statePath));
      throw this.#explain(failure, standingOf(importer.committed, isUndone));
    } finally {
      stopListening();
    }
    await removeProgressFile(statePath);
    this.#summarize(importer, start, existing === undefined);
    const word = this.#guessed === undefined ? undefined : wordToSearch(this.#guessed.inferred);
    if (word !== undefined && !this.#output.json)
      this.#output.note(`\n${await firstSearch(connection, this.#options, word)}`);
  }

  /** Gives the place of all documents to those of the input, in one commit. */
  async #replaceAll(
    connection: Connection,
    existing: IndexView,
    bytesTotal: number | undefined,
  ): Promise<void> {
    const { client } = connection;
    const { index, retrySeconds = RETRY_SECONDS_MAX } = this.#options;
    this.#fields = Object.keys(existing.fields);
    const transaction = new IndexTransaction({
      client,
      index,
      retrySecondsMax: retrySeconds,
      onSkip: this.#onSkip(),
    });
    const stopListening = this.#listenForInterruption();
    const ignored = new Set<string>();
    let documents = 0;
    try {
      await client.rollbackIndex(index);
      await transaction.deleteAll();
      await this.#requireKey(connection, existing);
      const batches = batchesAfter(NOTHING, this.#absent.records(this.#source.records()), this.#onSkip());
      for await (const { texts, places } of batches) {
        this.#interruption.signal.throwIfAborted();
        const batch = { texts, places };
        for (const field of (await transaction.add(batch)).ignoredFields) ignored.add(field);
        this.#advance((documents += batch.texts.length), 0, bytesTotal);
      }
      if (documents === 0) throw noDocuments(index);
      await transaction.commit();
    } catch (failure) {
      await transaction.rollback();
      throw this.#explain(failure, UNCHANGED);
    } finally {
      stopListening();
    }
    const ignoredFields = [...ignored];
    this.#summarize({ committedDocuments: documents, ignoredFields, replacedDocuments: 0 }, NOTHING, false);
  }

  /** Makes a field the primary key of an index that is there. */
  async #requireKey({ client }: Connection, existing: IndexView): Promise<void> {
    const { primaryKey, index } = this.#options;
    if (primaryKey === undefined || existing.primary_key === primaryKey) return;
    await client.patchIndexSettings(index, { primary_key: primaryKey });
    this.#output.note(`'${primaryKey}' is the primary key of '${index}' now`);
  }

  #checkIndex(existing: IndexView | undefined, earlier: ImportProgress | undefined): void {
    const { replace, resume, resumeAfter } = this.#options;
    if (replace === true && (resume === true || resumeAfter !== undefined)) {
      throw new CliError("usage", "--replace is for a whole input: it can't go on with a part of one");
    }
    if (existing !== undefined && this.#options.schema !== undefined) {
      throw new CliError(
        "index_exists",
        `index '${existing.name}' exists already; --schema is for one that doesn't`,
      );
    }
    if (existing === undefined && earlier !== undefined) {
      throw new CliError(
        "index_not_found",
        `index '${this.#options.index}' is gone since the import began; start over with --restart`,
      );
    }
  }

  #importer(connection: Connection, plan: ImportPlan): DocumentImporter {
    const { statePath, start, existing, bytesTotal } = plan;
    return new DocumentImporter({
      client: connection.client,
      index: this.#options.index,
      commitsByItself: (existing?.auto_commit_delay ?? 0) > 0,
      commitEvery: this.#options.commitEvery,
      retrySecondsMax: this.#options.retrySeconds ?? RETRY_SECONDS_MAX,
      start,
      onSkip: this.#onSkip(),
      saveProgress: (committed, inDoubt) => this.#saveProgress(connection, statePath, committed, inDoubt),
      onAdvance: (documents) => this.#advance(documents, start.records, bytesTotal),
      signal: this.#interruption.signal,
    });
  }

  /** The reader is ahead of the server, so its bytes count in proportion to the documents that arrived. */
  #advance(documents: number, recordsBefore: number, bytesTotal: number | undefined): void {
    if (this.#output.json) return;
    const bytesOfRecord = this.#source.bytesRead() / Math.max(1, this.#source.recordsRead());
    this.#bar.update({
      documents,
      bytesDone: (recordsBefore + documents) * bytesOfRecord,
      bytesBefore: recordsBefore * bytesOfRecord,
      bytesTotal,
      seconds: this.#secondsSoFar(),
    });
  }

  #secondsSoFar(): number {
    return (performance.now() - this.#startedAt) / 1000;
  }

  #saveProgress(
    connection: Connection,
    path: string,
    committed: InputPrefix,
    inDoubt?: ImportProgress["inDoubt"],
  ): Promise<void> {
    const { index } = this.#options;
    const progress: ImportProgress = {
      version: 1,
      url: connection.url,
      index,
      files: this.#files,
      committed,
      ...(inDoubt !== undefined && { inDoubt }),
    };
    return writeProgressFile(path, progress);
  }

  /** Makes the index by the schema file or by a guess that the user has seen; the records from the start. */
  async #createIndex(
    connection: Connection,
    records: AsyncGenerator<readonly ImportRecord[]>,
  ): Promise<AsyncIterable<readonly ImportRecord[]>> {
    const { index, schema, yes } = this.#options;
    if (schema !== undefined) {
      await this.#create(connection, await readSchemaFile(schema, index));
      return records;
    }
    const ahead = await this.#reading(() => this.#inferAhead(records));
    this.#output.note(`index '${index}' does not exist yet`);
    this.#showGuess(ahead);
    this.#output.note("for other types, change what --dry-run prints and give it to --schema\n");
    const isSure = yes === true || this.#files.some(isStandardInput);
    if (!isSure && !(await this.#confirm("Create it and import?"))) {
      throw new CliError("declined", "nothing was created or imported; see --schema and --dry-run");
    }
    await this.#create(connection, ahead.inferred.index);
    this.#guessed = ahead;
    return ahead.records;
  }

  #inferAhead(records: AsyncGenerator<readonly ImportRecord[]>): Promise<ReadAhead> {
    return inferAhead(records, {
      indexName: this.#options.index,
      areValuesText: () => this.#source.hasCsv,
      skipsBad: this.#options.skipBad === true,
      primaryKey: this.#options.primaryKey,
    });
  }

  #showGuess(ahead: ReadAhead): void {
    this.#output.note(describeFields(ahead));
    const names = ahead.inferred.unusableNames;
    if (names.length > 0)
      this.#say(`left out, as fields can't be named so: ${names.slice(0, 20).join(", ")}`);
  }

  async #confirm(question: string): Promise<boolean> {
    const askedAt = performance.now();
    const answer = await confirm(question);
    this.#startedAt += performance.now() - askedAt;
    return answer;
  }

  /** Says that a file imported twice is twice in the index, which is rarely meant. */
  async #remarkOnDocuments(connection: Connection, existing: IndexView): Promise<void> {
    const { index, primaryKey = existing.primary_key } = this.#options;
    if (primaryKey !== undefined) return;
    const { document_count } = await connection.client.getIndexStats(index);
    if (document_count > 0)
      this.#say(
        `'${index}' has ${formatCounted(document_count, "document")} already; these are added (--primary-key names a field by which they replace each other, --replace takes away all)`,
      );
  }

  async #create(connection: Connection, given: NamedIndexDraft): Promise<void> {
    const { primaryKey } = this.#options;
    const draft = { ...given, ...(primaryKey === undefined ? {} : { primary_key: primaryKey }) };
    await connection.client.createIndex(draft);
    this.#fields = Object.keys(draft.fields);
    this.#output.note(`index '${draft.name}' created`);
  }

  #tellFields(ignored: readonly string[], absent: readonly string[]): void {
    if (ignored.length > 0) this.#say(`not in the schema, so dropped: ${ignored.join(", ")}`);
    if (absent.length > 0) this.#say(`in the schema, but in no document: ${absent.join(", ")}`);
  }

  #onSkip(): ((bad: BadDocument) => void) | undefined {
    return this.#options.skipBad === true ? (bad) => this.#skipped.add(bad) : undefined;
  }

  #say(line: string): void {
    this.#bar.clear();
    this.#output.note(line);
  }

  /** The first interrupt ends the import in order, the second one at once. */
  #listenForInterruption(): () => void {
    let count = 0;
    const onSignal = (): void => {
      count++;
      if (count > 1) process.exit(EXIT.interrupted);
      this.#say("stopping; what is not committed is taken back");
      this.#interruption.abort(new CliError("interrupted", "the import was interrupted"));
      this.#source.close();
    };
    process.on("SIGINT", onSignal);
    process.on("SIGTERM", onSignal);
    return () => {
      process.off("SIGINT", onSignal);
      process.off("SIGTERM", onSignal);
    };
  }

  /** Runs what only reads; a failure names the place in the input. */
  async #reading<Result>(operation: () => Promise<Result>): Promise<Result> {
    try {
      return await operation();
    } catch (failure) {
      throw this.#explain(failure, undefined);
    }
  }

  /** What to tell about a failure, and what of the import stands. */
  #explain(failure: unknown, stands: ImportStanding | undefined): unknown {
    this.#bar.clear();
    const { signal } = this.#interruption;
    const reason: unknown = signal.aborted ? signal.reason : failure;
    if (reason instanceof BadDocumentsError) {
      for (const bad of reason.documents.slice(1, 20)) this.#output.note(`${bad.place}: ${bad.problem}`);
      const skip = stands?.hasCommitted === true ? "--skip-bad --resume" : "--skip-bad";
      return refusal(
        `${reason.message}; ${adviceToMend(stands)}, or leave bad ones out with ${skip}`,
        failure,
      );
    }
    if (reason instanceof UnreadableInputError) {
      return refusal(`${reason.place}: ${reason.message}; ${adviceToMend(stands)}`, failure);
    }
    if (stands !== undefined) this.#output.note(`${stands.text}; ${stands.nextStep}`);
    return reason;
  }

  /**
   * Takes back an index that this run made and nothing went into, so that mended input is looked at
   * anew. True if it is gone.
   */
  async #removeEmptyIndex({ client }: Connection, statePath: string): Promise<boolean> {
    const { index } = this.#options;
    try {
      if ((await client.getIndexStats(index)).document_count > 0) return false;
      await client.deleteIndex(index);
    } catch {
      // The server is what failed; the next run goes on with the index as it is.
      return false;
    }
    await removeProgressFile(statePath);
    return true;
  }

  #summarize(
    importer: Pick<DocumentImporter, "committedDocuments" | "ignoredFields" | "replacedDocuments">,
    start: InputPrefix,
    created: boolean,
  ): void {
    this.#bar.clear();
    const seconds = this.#secondsSoFar();
    const { index } = this.#options;
    const documents = importer.committedDocuments;
    const ignored = importer.ignoredFields;
    const absent = start.records > 0 || documents === 0 ? [] : this.#absent.of(this.#fields);
    this.#tellFields(ignored, absent);
    this.#output.result(
      {
        index,
        created,
        ...(this.#guessed !== undefined && { schema: this.#guessed.inferred.index }),
        documents,
        replaced: importer.replacedDocuments,
        resumed_after: start.records,
        skipped: this.#skipped.count,
        bad: this.#skipped.first,
        ignored_fields: ignored,
        absent_fields: absent,
        seconds: Number(seconds.toFixed(3)),
      },
      `${formatCounted(documents, "document")} imported into '${index}' in ${formatDuration(seconds)} (${formatCount(documents / seconds)} a second)${replacedRemark(importer.replacedDocuments)}${skippedRemark(this.#skipped)}`,
    );
  }
}

interface ImportPlan {
  readonly statePath: string;
  readonly start: InputPrefix;
  readonly existing: IndexView | undefined;
  readonly bytesTotal: number | undefined;
}

/** After a transaction that came to nothing. */
const UNCHANGED: ImportStanding = {
  hasCommitted: false,
  text: "nothing has changed",
  nextStep: "import again",
};

function noDocuments(index: string): CliError {
  return new CliError("no_documents", `the input holds no document to replace those of '${index}' with`);
}

const NOTHING: InputPrefix = { records: 0, checksum: null };

function replacedRemark(replaced: number): string {
  return replaced === 0 ? "" : `, ${formatCount(replaced)} of them in the place of others`;
}

function skippedRemark(skipped: SkippedDocuments): string {
  return skipped.count === 0 ? "" : `, ${formatCount(skipped.count)} skipped`;
}

function refusal(message: string, cause: unknown): CliError {
  return new CliError("bad_document", message, cause);
}
