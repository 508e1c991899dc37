import type { CanonicalValue } from "../../contract/canonical-value.js";
import type { EngineField } from "../../engine/server-door.js";
import type { KeyConflicts } from "../../ports/search-backend.js";
import { documentIdOf } from "./document-revisions.js";
import type { Dsl } from "./dsl.js";
import { ALIVE, partOf } from "./index-mapping.js";
import type { StoredDocument, StoredDocuments } from "./stored-documents.js";
import { wholeValue } from "./whole-value.js";

/** Values in one query. */
const VALUES_TOGETHER = 10_000;
/** Values and documents that are named. */
const NAMED_MAX = 20;

/** The ids of documents that a filter lets through and that have one of the values in the field. */
export async function idsWithValues(
  documents: StoredDocuments,
  {
    field,
    values,
    filter,
  }: { readonly field: EngineField; readonly values: readonly CanonicalValue[]; readonly filter: Dsl },
): Promise<readonly string[]> {
  const found: string[] = [];
  for (let start = 0; start < values.length; start += VALUES_TOGETHER) {
    const together = values.slice(start, start + VALUES_TOGETHER).map((value) => wholeValue(field, value));
    const query = { bool: { filter: [filter, { terms: { [partOf("v", field.name)]: together } }] } };
    for await (const page of documents.all(query, ["seq"])) found.push(...page.map(({ id }) => id));
  }
  return found;
}

/** Which values of a field several documents share that are there at once, committed or pending, and which lack one. */
export class KeyCheck {
  readonly #field: EngineField;
  readonly #generation: number;
  /** Values as they are found, and those that are shared as they were seen first. */
  readonly #committed = new Set<string>();
  readonly #pending = new Set<string>();
  readonly #shared = new Map<string, CanonicalValue>();
  readonly #lacking: string[] = [];
  #lackingCount = 0;

  constructor(field: EngineField, generation: number) {
    this.#field = field;
    this.#generation = generation;
  }

  take({ id, born, died, document }: StoredDocument): void {
    const isCommitted = born <= this.#generation && died > this.#generation;
    const isPending = died === ALIVE;
    if (!isCommitted && !isPending) return;
    const value = document[this.#field.name];
    if (value === undefined || value === "") {
      this.#lackingCount++;
      if (this.#lacking.length < NAMED_MAX) this.#lacking.push(documentIdOf(id));
      return;
    }
    for (const seen of [...(isCommitted ? [this.#committed] : []), ...(isPending ? [this.#pending] : [])]) {
      const whole = wholeValue(this.#field, value);
      if (!seen.has(whole)) seen.add(whole);
      else if (!this.#shared.has(whole)) this.#shared.set(whole, value);
    }
  }

  get conflicts(): KeyConflicts {
    return {
      shared: [...this.#shared.values()].slice(0, NAMED_MAX),
      sharedCount: this.#shared.size,
      lacking: this.#lacking,
      lackingCount: this.#lackingCount,
    };
  }
}
