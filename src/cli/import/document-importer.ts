import type { FindlingClient } from "../../client/index.js";
import { CliError } from "../cli-error.js";
import type { BadDocument } from "./bad-documents-error.js";
import type { DocumentBatch } from "./document-batch.js";
import type { InputPrefix, WritesInDoubt } from "./import-progress-file.js";
import { isCertainlyUndone, isPerhapsDone, isTimeout, retrying } from "./retry.js";
import { type SendableDocuments, type SentDocuments, sendBatch, WRITE_TIMEOUT_MS } from "./send-batch.js";

export interface DocumentImporterOptions {
  readonly client: FindlingClient;
  readonly index: string;
  /** The index has an auto commit delay: what is sent can't be taken back for certain. */
  readonly commitsByItself: boolean;
  /** Documents between commits. */
  readonly commitEvery: number;
  readonly retrySecondsMax: number;
  readonly start: InputPrefix;
  /** Where refused documents are skipped; without it they end the import. */
  readonly onSkip: ((bad: BadDocument) => void) | undefined;
  /** Remembers durably how far the import is. */
  readonly saveProgress: (committed: InputPrefix, inDoubt?: WritesInDoubt) => Promise<void>;
  /** Documents that the server has taken so far. */
  readonly onAdvance: (documents: number) => void;
  /** Ends the import between two batches. */
  readonly signal: AbortSignal;
}

/** Characters kept between commits, so that lost requests can be sent again. */
const WINDOW_LENGTH_MAX = 64 * 1024 * 1024;
/** How often all since the last commit is sent again before the import gives up. */
const REPLAYS_MAX = 5;

interface WindowEntry extends SendableDocuments {
  isTaken: boolean;
  /** Documents of before that it took the place of. */
  replaced: number;
}

/**
 * Brings batches into an index so that each document arrives once, in the order of the input: one
 * request at a time, while the next batch is read. (Three at a time were no faster.) Everything since the last commit
 * is kept: if the connection is lost with a request on the way, nobody knows whether it was carried
 * out, so all pending writes are rolled back and sent again. An index that commits by itself allows
 * no such thing; there, batches go one by one and a lost answer ends the import with the question
 * put to the user.
 */
export class DocumentImporter {
  readonly #options: DocumentImporterOptions;
  /** The last request; never rejects. */
  #underWay: Promise<void> = Promise.resolve();
  readonly #ignoredFields = new Set<string>();
  #committed: InputPrefix;
  #committedDocuments = 0;
  #replacedDocuments = 0;
  #window: WindowEntry[] = [];
  #windowEnd: InputPrefix;
  #windowDocuments = 0;
  #windowLength = 0;
  #documentId: string | undefined;
  #isAnswerLost = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(options: DocumentImporterOptions) {
    this.#options = options;
    this.#committed = options.start;
    this.#windowEnd = options.start;
  }

  /** Where the input stands that is committed. */
  get committed(): InputPrefix {
    return this.#committed;
  }

  /** Documents committed by this importer. */
  get committedDocuments(): number {
    return this.#committedDocuments;
  }

  /** Documents of before that gave way to those with the same primary key. */
  get replacedDocuments(): number {
    return this.#replacedDocuments;
  }

  /** Members that documents had and the index has no field for. */
  get ignoredFields(): readonly string[] {
    return [...this.#ignoredFields];
  }

  /**
   * Imports all batches and commits the last ones. However it ends, nothing of this importer is
   * left pending unless the server can't be reached.
   */
  async run(batches: AsyncIterable<DocumentBatch>): Promise<void> {
    try {
      for await (const batch of batches) {
        this.#options.signal.throwIfAborted();
        if (this.#options.commitsByItself) await this.#importAlone(batch);
        else await this.#import(batch);
      }
      await this.#settle();
      await this.#commit();
    } catch (error) {
      await this.#abandon();
      throw error;
    }
  }

  async #import(batch: DocumentBatch): Promise<void> {
    await this.#underWay;
    if (this.#failure !== undefined || this.#isAnswerLost) await this.#settle();
    this.#keep(batch);
    this.#launch(this.#window.at(-1)!);
    if (this.#windowDocuments >= this.#options.commitEvery || this.#windowLength >= WINDOW_LENGTH_MAX) {
      await this.#settle();
      await this.#commit();
    }
  }

  #keep(batch: DocumentBatch): void {
    this.#window.push({ texts: batch.texts, places: batch.places, isTaken: false, replaced: 0 });
    this.#windowEnd = { records: batch.endRecord, checksum: batch.checksum };
    this.#windowDocuments += batch.texts.length;
    this.#windowLength += batch.length;
  }

  #launch(entry: WindowEntry): void {
    this.#underWay = this.#send(entry, true).then(
      (sent) => this.#take(entry, sent),
      (error: unknown) => {
        if (isPerhapsDone(error)) this.#isAnswerLost = true;
        else this.#failure ??= { error };
      },
    );
  }

  #send(entry: WindowEntry, maySplit: boolean): Promise<SentDocuments> {
    const { client, index, retrySecondsMax, onSkip } = this.#options;
    return sendBatch(entry, { client, index, retrySecondsMax, onSkip, maySplit });
  }

  #take(entry: WindowEntry, sent: SentDocuments): void {
    entry.isTaken = true;
    entry.replaced = sent.replaced;
    this.#documentId = sent.documentId ?? this.#documentId;
    for (const field of sent.ignoredFields) this.#ignoredFields.add(field);
    this.#options.onAdvance(this.#committedDocuments + this.#takenDocuments());
  }

  #takenDocuments(): number {
    return this.#window.reduce((sum, entry) => sum + (entry.isTaken ? entry.texts.length : 0), 0);
  }

  /** Waits until every request of the window has been answered with success, lost ones sent again. */
  async #settle(): Promise<void> {
    await this.#underWay;
    if (this.#failure !== undefined) throw this.#failure.error;
    for (let replays = 1; this.#isAnswerLost; replays++) {
      this.#isAnswerLost = false;
      await this.#rollback();
      try {
        for (const entry of this.#window) entry.isTaken = false;
        for (const entry of this.#window) this.#take(entry, await this.#send(entry, true));
      } catch (error) {
        if (!isPerhapsDone(error) || replays >= REPLAYS_MAX) throw error;
        this.#isAnswerLost = true;
      }
    }
  }

  async #commit(): Promise<void> {
    if (this.#window.length === 0) return;
    const upTo = this.#windowEnd;
    if (this.#documentId !== undefined) {
      await this.#options.saveProgress(this.#committed, { upTo, documentId: this.#documentId });
      // A second commit finds nothing pending or what the first one left, so it may follow a lost answer.
      await this.#patiently(() =>
        this.#options.client.commitIndex(this.#options.index, { timeoutMs: WRITE_TIMEOUT_MS }),
      );
    }
    this.#committedDocuments += this.#takenDocuments();
    for (const { replaced } of this.#window) this.#replacedDocuments += replaced;
    this.#forgetWindow();
    this.#committed = upTo;
    await this.#options.saveProgress(upTo);
  }

  #forgetWindow(): void {
    this.#window = [];
    this.#windowDocuments = 0;
    this.#windowLength = 0;
    this.#documentId = undefined;
  }

  /** One batch of an index that commits by itself: sent, committed and remembered before the next one. */
  async #importAlone(batch: DocumentBatch): Promise<void> {
    this.#keep(batch);
    const upTo = this.#windowEnd;
    const entry = this.#window[0]!;
    await this.#options.saveProgress(this.#committed, { upTo, documentId: null });
    try {
      // Where nothing is skipped, a half that is taken would have to be taken back with the other one.
      this.#take(entry, await this.#send(entry, this.#options.onSkip !== undefined));
    } catch (error) {
      if (isPerhapsDone(error) || isTimeout(error) || entry.isPartlySent === true) {
        throw writesInDoubt(this.#options.index, this.#committed, upTo, error);
      }
      this.#forgetWindow();
      await this.#options.saveProgress(this.#committed);
      throw error;
    }
    await this.#commit();
  }

  #rollback(): Promise<string> {
    return this.#patiently(() =>
      this.#options.client.rollbackIndex(this.#options.index, { timeoutMs: WRITE_TIMEOUT_MS }),
    );
  }

  #patiently<Result>(operation: () => Promise<Result>): Promise<Result> {
    return retrying(operation, {
      isRetryable: (error) => isCertainlyUndone(error) || isPerhapsDone(error),
      secondsMax: this.#options.retrySecondsMax,
    });
  }

  /** Takes back what was not committed, as far as the server can be reached at all. */
  async #abandon(): Promise<void> {
    await this.#underWay;
    if (this.#window.length === 0) return;
    try {
      await this.#options.client.rollbackIndex(this.#options.index, { timeoutMs: WRITE_TIMEOUT_MS });
    } catch {
      // The reason for giving up is what the user needs to hear; a resumed import rolls back first.
    }
  }
}

/** What to tell about writes of which nobody knows whether they were carried out. */
export function writesInDoubt(
  index: string,
  committed: InputPrefix,
  upTo: InputPrefix,
  cause?: unknown,
): CliError {
  return new CliError(
    "writes_in_doubt",
    `documents ${committed.records + 1} to ${upTo.records} were sent but not answered, and '${index}' commits by itself, so they may or may not be in it; look, then go on with --resume-after ${committed.records} (not in it) or --resume-after ${upTo.records} (in it)`,
    cause,
  );
}
