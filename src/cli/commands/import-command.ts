import { FindlingClientError, type IndexView, type NamedIndexDraft } from "../../client/index.js";
import { CliError } from "../cli-error.js";
import { type Connection, type ConnectionOptions, connect } from "../connection.js";
import { EXIT } from "../exit-codes.js";
import { type BadDocument, BadDocumentsError } from "../import/bad-documents-error.js";
import { batchesAfter } from "../import/batches.js";
import { describeSchema, inferAhead, readSchemaFile } from "../import/choose-schema.js";
import { DocumentImporter } from "../import/document-importer.js";
import {
  type ImportProgress,
  type InputPrefix,
  progressFilePath,
  readProgressFile,
  removeProgressFile,
  writeProgressFile,
} from "../import/import-progress-file.js";
import { type ImportRecord, ImportSource, UnreadableInputError } from "../import/import-source.js";
import { STANDARD_INPUT } from "../import/input-file.js";
import { type InputFormat, parseDelimiter } from "../import/input-format.js";
import { findResumePoint } from "../import/resume-point.js";
import { RETRY_SECONDS_MAX } from "../import/retry.js";
import { SkippedDocuments } from "../import/skipped-documents.js";
import { confirm } from "../terminal/confirm.js";
import { formatCount, formatDuration } from "../terminal/format-amount.js";
import type { Output } from "../terminal/output.js";
import { ProgressBar } from "../terminal/progress-bar.js";

export interface ImportOptions extends ConnectionOptions {
  readonly index: string;
  readonly format?: InputFormat;
  readonly delimiter?: string;
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
  readonly #startedAt = performance.now();

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
      onRename: (column, field) => this.#say(`column '${column}' becomes field '${field}'`),
    });
  }

  /** Reads everything and sends nothing. */
  async dryRun(): Promise<void> {
    await this.#source.totalBytes();
    const ahead = await inferAhead(this.#source.records(), this.#options.index, () => this.#source.hasCsv);
    let documents = 0;
    const batches = batchesAfter(NOTHING, ahead.records, this.#onSkip());
    await this.#explaining(undefined, async () => {
      for await (const batch of batches) documents += batch.texts.length;
    });
    const skipped = this.#skipped;
    this.#output.result(
      { dry_run: true, documents, skipped: skipped.count, bad: skipped.first, index: ahead.inferred.index },
      `${describeSchema(ahead.inferred, ahead.documents)}\n\n${formatCount(documents)} documents could be read${skippedRemark(skipped)}; nothing was sent`,
    );
    this.#remarkOnNames(ahead.inferred.unusableNames);
  }

  async import(): Promise<void> {
    const bytesTotal = await this.#source.totalBytes();
    const connection = await connect(this.#options);
    const statePath = this.#options.state ?? progressFilePath(this.#files, this.#options.index);
    const earlier = await this.#earlierProgress(statePath, connection);
    const existing = await findIndex(connection, this.#options.index);
    if (existing !== undefined && this.#options.schema !== undefined) {
      throw new CliError(
        EXIT.usage,
        "index_exists",
        `index '${existing.name}' exists already; --schema is for one that doesn't`,
      );
    }
    if (existing === undefined && earlier !== undefined) {
      throw new CliError(
        EXIT.failed,
        "index_not_found",
        `index '${this.#options.index}' is gone since the import began; start over with --restart`,
      );
    }
    const start = earlier === undefined ? this.#askedStart() : await this.#resumeFrom(connection, earlier);
    let records: AsyncIterable<readonly ImportRecord[]> = this.#source.records();
    if (existing === undefined) records = await this.#createIndex(connection, this.#source.records());
    const importer = this.#importer(connection, statePath, start, existing, bytesTotal);
    await this.#saveProgress(connection, statePath, start);
    const stopListening = this.#listenForInterruption();
    try {
      await this.#explaining(importer, () => importer.run(batchesAfter(start, records, this.#onSkip())));
    } finally {
      stopListening();
    }
    await removeProgressFile(statePath);
    this.#summarize(importer, start, existing === undefined);
  }

  #importer(
    connection: Connection,
    statePath: string,
    start: InputPrefix,
    existing: IndexView | undefined,
    bytesTotal: number | undefined,
  ): DocumentImporter {
    return new DocumentImporter({
      client: connection.client,
      index: this.#options.index,
      commitsByItself: (existing?.auto_commit_delay ?? 0) > 0,
      commitEvery: this.#options.commitEvery,
      retrySecondsMax: this.#options.retrySeconds ?? RETRY_SECONDS_MAX,
      start,
      onSkip: this.#onSkip(),
      saveProgress: (committed, inDoubt) => this.#saveProgress(connection, statePath, committed, inDoubt),
      onAdvance: (documents) => {
        if (this.#output.json) return;
        this.#bar.update({ documents, bytesRead: this.#source.bytesRead(), bytesTotal });
      },
      signal: this.#interruption.signal,
    });
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

  /** What an earlier import left, if it is to be gone on with; an import never begins beside it by accident. */
  async #earlierProgress(path: string, connection: Connection): Promise<ImportProgress | undefined> {
    const { resume, resumeAfter, restart, index } = this.#options;
    const progress = await readProgressFile(path);
    if (progress === undefined) {
      if (resume !== true) return undefined;
      throw new CliError(
        EXIT.usage,
        "nothing_to_resume",
        `there is no import to go on with: no progress file '${path}'`,
      );
    }
    if (
      progress.index !== index ||
      progress.url !== connection.url ||
      !sameFiles(progress.files, this.#files)
    ) {
      throw new CliError(
        EXIT.usage,
        "other_import",
        `'${path}' belongs to another import (${progress.files.join(", ")} into '${progress.index}' at ${progress.url}); name another place with --state`,
      );
    }
    if (restart === true) {
      await connection.client.rollbackIndex(index).catch(ignoreMissingIndex);
      return undefined;
    }
    // Where nothing is committed, going on and starting over are the same, and need no decision.
    const hasNothing = progress.committed.records === 0 && progress.inDoubt === undefined;
    if (resume === true || resumeAfter !== undefined || hasNothing) return progress;
    throw new CliError(
      EXIT.usage,
      "unfinished_import",
      `an earlier import of this stopped after ${formatCount(progress.committed.records)} documents; go on with --resume, or import all of them (again) with --restart`,
    );
  }

  #askedStart(): InputPrefix {
    return { records: this.#options.resumeAfter ?? 0, checksum: null };
  }

  async #resumeFrom(connection: Connection, progress: ImportProgress): Promise<InputPrefix> {
    if (this.#options.resumeAfter !== undefined) {
      await connection.client.rollbackIndex(progress.index);
      return this.#askedStart();
    }
    const start = await findResumePoint(connection.client, progress);
    if (start.records > 0) this.#say(`going on after document ${formatCount(start.records)}`);
    return start;
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
    const ahead = await this.#explaining(undefined, () =>
      inferAhead(records, index, () => this.#source.hasCsv),
    );
    if (ahead.inferred.fields.length === 0) {
      throw new CliError(
        EXIT.dataRefused,
        "no_documents",
        "there is no document with a field to make an index from",
      );
    }
    this.#output.note(
      `index '${index}' does not exist; its schema, from the first ${formatCount(ahead.documents)} documents:\n`,
    );
    this.#output.note(`${describeSchema(ahead.inferred, ahead.documents)}\n`);
    this.#remarkOnNames(ahead.inferred.unusableNames);
    const isWanted =
      yes === true || this.#files.includes(STANDARD_INPUT) || (await confirm("Create it and import?"));
    if (!isWanted)
      throw new CliError(
        EXIT.interrupted,
        "declined",
        "nothing was created or imported; see --schema and --dry-run",
      );
    await this.#create(connection, ahead.inferred.index);
    return ahead.records;
  }

  async #create(connection: Connection, draft: NamedIndexDraft): Promise<void> {
    await connection.client.createIndex(draft);
    this.#output.note(`index '${draft.name}' created`);
  }

  #onSkip(): ((bad: BadDocument) => void) | undefined {
    return this.#options.skipBad === true ? (bad) => this.#skipped.add(bad) : undefined;
  }

  #say(line: string): void {
    this.#bar.clear();
    this.#output.note(line);
  }

  #remarkOnNames(names: readonly string[]): void {
    if (names.length > 0)
      this.#say(`left out, as fields can't be named so: ${names.slice(0, 20).join(", ")}`);
  }

  /** The first interrupt ends the import in order, the second one at once. */
  #listenForInterruption(): () => void {
    let count = 0;
    const onSignal = (): void => {
      count++;
      if (count > 1) process.exit(EXIT.interrupted);
      this.#say("stopping; what is not committed is taken back");
      this.#interruption.abort(
        new CliError(EXIT.interrupted, "interrupted", "the import was interrupted; go on with --resume"),
      );
      this.#source.close();
    };
    process.on("SIGINT", onSignal);
    process.on("SIGTERM", onSignal);
    return () => {
      process.off("SIGINT", onSignal);
      process.off("SIGTERM", onSignal);
    };
  }

  /** Runs it; a failure says, besides the place in the input, what of the import stands. */
  async #explaining<Result>(
    importer: DocumentImporter | undefined,
    operation: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await operation();
    } catch (error) {
      this.#bar.clear();
      const { signal } = this.#interruption;
      const reason: unknown = signal.aborted ? signal.reason : error;
      if (reason instanceof BadDocumentsError || reason instanceof UnreadableInputError) {
        for (const bad of reason instanceof BadDocumentsError ? reason.documents.slice(1, 20) : []) {
          this.#output.note(`${bad.place}: ${bad.problem}`);
        }
        const problem =
          reason instanceof UnreadableInputError ? `${reason.place}: ${reason.message}` : reason.message;
        throw new CliError(
          EXIT.dataRefused,
          "bad_document",
          `${problem}${standing(importer, reason)}`,
          error,
        );
      }
      throw reason;
    }
  }

  #summarize(importer: DocumentImporter, start: InputPrefix, created: boolean): void {
    this.#bar.clear();
    const seconds = (performance.now() - this.#startedAt) / 1000;
    const { index } = this.#options;
    const documents = importer.committedDocuments;
    const ignored = importer.ignoredFields;
    if (ignored.length > 0) this.#say(`not in the schema, so dropped: ${ignored.join(", ")}`);
    this.#output.result(
      {
        index,
        created,
        documents,
        resumed_after: start.records,
        skipped: this.#skipped.count,
        bad: this.#skipped.first,
        ignored_fields: ignored,
        seconds: Number(seconds.toFixed(3)),
      },
      `${formatCount(documents)} documents imported into '${index}' in ${formatDuration(seconds)} (${formatCount(documents / seconds)} a second)${skippedRemark(this.#skipped)}`,
    );
  }
}

const NOTHING: InputPrefix = { records: 0, checksum: null };

function skippedRemark(skipped: SkippedDocuments): string {
  return skipped.count === 0 ? "" : `, ${formatCount(skipped.count)} skipped`;
}

function standing(importer: DocumentImporter | undefined, reason: Error): string {
  if (importer === undefined) return "";
  const committed = formatCount(importer.committed.records);
  const advice =
    reason instanceof BadDocumentsError
      ? "mend it and go on with --resume, or leave bad ones out with --skip-bad --resume"
      : "mend it and go on with --resume";
  return `; ${committed} documents are committed, the rest was rolled back; ${advice}`;
}

function sameFiles(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((file, position) => file === right[position]);
}

async function findIndex(connection: Connection, name: string): Promise<IndexView | undefined> {
  try {
    return await connection.client.getIndex(name);
  } catch (error) {
    return ignoreMissingIndex(error);
  }
}

function ignoreMissingIndex(error: unknown): undefined {
  if (error instanceof FindlingClientError && error.code === "index_not_found") return undefined;
  throw error;
}
