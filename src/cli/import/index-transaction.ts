import type { FindlingClient } from "../../client/index.js";
import { CliError } from "../cli-error.js";
import type { BadDocument } from "./bad-documents-error.js";
import { isCertainlyUndone, isPerhapsDone, retrying } from "./retry.js";
import { type SendableDocuments, type SentDocuments, sendBatch, WRITE_TIMEOUT_MS } from "./send-batch.js";

export interface IndexTransactionOptions {
  readonly client: FindlingClient;
  readonly index: string;
  readonly retrySecondsMax: number;
  /** Where documents that the server refuses are left out; without it they end the transaction. */
  readonly onSkip?: ((bad: BadDocument) => void) | undefined;
}

/**
 * Writes that become visible together: nothing of them is committed before all are there, and whatever fails takes them
 * all back. Where an answer is lost, nobody knows what the server has carried out, so that is a failure too.
 */
export class IndexTransaction {
  readonly #options: IndexTransactionOptions;
  #isOpen = false;

  constructor(options: IndexTransactionOptions) {
    this.#options = options;
  }

  /** @throws BadDocumentsError naming documents that the server refuses */
  async add(documents: SendableDocuments): Promise<SentDocuments> {
    this.#isOpen = true;
    return await this.#surely(() =>
      sendBatch(documents, { onSkip: undefined, ...this.#options, maySplit: true }),
    );
  }

  /** @param documentIds internal ids */
  async delete(documentIds: readonly string[]): Promise<void> {
    if (documentIds.length === 0) return;
    this.#isOpen = true;
    const { client, index } = this.#options;
    await this.#patiently(() =>
      client.deleteDocumentsByField(index, "_id", documentIds, { timeoutMs: WRITE_TIMEOUT_MS }),
    );
  }

  async deleteAll(): Promise<void> {
    this.#isOpen = true;
    const { client, index } = this.#options;
    await this.#patiently(() => client.deleteAllDocuments(index, { timeoutMs: WRITE_TIMEOUT_MS }));
  }

  async commit(): Promise<void> {
    const { client, index, retrySecondsMax } = this.#options;
    // A second commit finds nothing pending or what the first one left, so it may follow a lost answer.
    await retrying(() => client.commitIndex(index, { timeoutMs: WRITE_TIMEOUT_MS }), {
      isRetryable: (error) => isCertainlyUndone(error) || isPerhapsDone(error),
      secondsMax: retrySecondsMax,
    });
    this.#isOpen = false;
  }

  /** Takes everything back, as far as the server can be reached at all. */
  async rollback(): Promise<void> {
    if (!this.#isOpen) return;
    const { client, index } = this.#options;
    try {
      await client.rollbackIndex(index, { timeoutMs: WRITE_TIMEOUT_MS });
    } catch {
      // The reason for giving up is what the user needs to hear; the next run rolls back first.
    }
  }

  /** Deletes may be sent twice. */
  async #patiently<Result>(operation: () => Promise<Result>): Promise<Result> {
    return await retrying(operation, {
      isRetryable: (error) => isCertainlyUndone(error) || isPerhapsDone(error),
      secondsMax: this.#options.retrySecondsMax,
    });
  }

  async #surely<Result>(operation: () => Promise<Result>): Promise<Result> {
    try {
      return await operation();
    } catch (error) {
      if (!isPerhapsDone(error)) throw error;
      throw new CliError(
        "connection_lost",
        `the connection was lost while documents were sent; nothing in '${this.#options.index}' has changed, so run it again`,
        error,
      );
    }
  }
}
