import { revisionOf } from "./document-revisions.js";
import { MATCH_ALL } from "./dsl.js";
import type { DocumentEncoder } from "./encode-document.js";
import { ALIVE } from "./index-mapping.js";
import type { StoredDocuments } from "./stored-documents.js";

/** A storage's documents, encoded anew into another one, which can be brought up to date again and again. */
export class DocumentsCopy {
  readonly #original: StoredDocuments;
  readonly #target: StoredDocuments;
  readonly #member: string;
  readonly #encoder: DocumentEncoder;
  readonly #isWanted: () => boolean;
  /** What the copy holds, by id, and when it dies. */
  readonly #copied = new Map<string, number>();
  #hasOnlyAdded = true;

  constructor(
    original: StoredDocuments,
    target: StoredDocuments,
    as: { readonly member: string; readonly encoder: DocumentEncoder; readonly isWanted: () => boolean },
  ) {
    this.#original = original;
    this.#target = target;
    this.#member = as.member;
    this.#encoder = as.encoder;
    this.#isWanted = as.isWanted;
  }

  /** Whether the copy holds live documents alone, each of which was written once. */
  get hasOnlyAdded(): boolean {
    return this.#hasOnlyAdded;
  }

  /** @throws Error once the copy is no longer wanted; FindlingError `storage_unavailable` */
  async bringUpToDate(): Promise<void> {
    this.#requireWanted();
    await this.#original.refresh();
    const present = new Set<string>();
    for await (const page of this.#original.all(MATCH_ALL)) {
      this.#requireWanted();
      const changed = page.filter(({ id, died }) => this.#copied.get(id) !== died);
      for (const { id } of page) present.add(id);
      const encoded = changed.map(({ id, document, born, died, seq }) => ({
        id,
        ...this.#encoder.encode(document, { member: this.#member, born, died, seq, ...revisionOf(id) }),
      }));
      const isAgain = ({ id }: { readonly id: string }): boolean => this.#copied.has(id);
      const again = encoded.filter(isAgain);
      if (again.length > 0 || changed.some(({ died }) => died !== ALIVE)) this.#hasOnlyAdded = false;
      await this.#target.put([encoded.filter((each) => !isAgain(each))]);
      await this.#target.put([again], { isReplacing: true });
      for (const { id, died } of changed) this.#copied.set(id, died);
    }
    const gone = [...this.#copied.keys()].filter((id) => !present.has(id));
    if (gone.length > 0) this.#hasOnlyAdded = false;
    await this.#target.remove(gone);
    for (const id of gone) this.#copied.delete(id);
    await this.#target.refresh();
  }

  #requireWanted(): void {
    if (!this.#isWanted()) throw new Error("the copy is no longer wanted");
  }
}
