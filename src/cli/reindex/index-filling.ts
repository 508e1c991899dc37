import type { FindlingClient } from "../../client/index.js";
import { writeJson } from "../../json/exact-json.js";
import type { BadDocument } from "../import/bad-documents-error.js";
import { BATCH_LIMITS } from "../import/document-batch.js";
import { IndexTransaction } from "../import/index-transaction.js";

export interface IndexFillingOptions {
  readonly client: FindlingClient;
  readonly index: string;
  readonly retrySecondsMax: number;
  /** Where documents that the index refuses are left out; without it they end the filling. */
  readonly onSkip: ((bad: BadDocument) => void) | undefined;
}

/** Fills an index with the documents of hits, in batches, and commits them together: all `add`, then `end`. */
export class IndexFilling {
  readonly #transaction: IndexTransaction;
  readonly #ignored = new Set<string>();
  #texts: string[] = [];
  #places: string[] = [];
  #length = 0;
  #replaced = 0;

  constructor(options: IndexFillingOptions) {
    this.#transaction = new IndexTransaction(options);
  }

  /** Members that documents have and the index has no field for. */
  get ignoredFields(): readonly string[] {
    return [...this.#ignored];
  }

  /** Documents that gave way to others with the same primary key. */
  get replaced(): number {
    return this.#replaced;
  }

  /** @throws BadDocumentsError */
  async add(hits: readonly { readonly doc: object; readonly document_id: string }[]): Promise<void> {
    for (const { doc, document_id } of hits) {
      const text = writeJson(doc);
      this.#texts.push(text);
      this.#places.push(`document ${document_id}`);
      this.#length += text.length;
      if (this.#texts.length >= BATCH_LIMITS.documents || this.#length >= BATCH_LIMITS.length)
        await this.#send();
    }
  }

  async end(): Promise<void> {
    if (this.#texts.length > 0) await this.#send();
    await this.#transaction.commit();
  }

  async #send(): Promise<void> {
    const batch = { texts: this.#texts, places: this.#places };
    [this.#texts, this.#places, this.#length] = [[], [], 0];
    const { ignoredFields, replaced, overwritten } = await this.#transaction.add(batch);
    this.#replaced += replaced + overwritten;
    for (const field of ignoredFields) this.#ignored.add(field);
  }
}
