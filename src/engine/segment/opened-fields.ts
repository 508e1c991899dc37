import type { EngineField, EngineSchema } from "../schema/engine-schema.js";
import { fieldOrdinals } from "../schema/field-ordinals.js";

/** What fields have in a segment, each opened when it is first asked for: searches look at few of them. */
export class OpenedFields<T> {
  readonly #schema: EngineSchema;
  readonly #has: (field: EngineField) => boolean;
  readonly #open: (ordinal: number) => T | null;
  readonly #opened = new Map<string, T | null>();

  /** @param has whether a field can have it */
  constructor(
    schema: EngineSchema,
    has: (field: EngineField) => boolean,
    open: (ordinal: number) => T | null,
  ) {
    this.#schema = schema;
    this.#has = has;
    this.#open = open;
  }

  /** Null for a field that has none. */
  of(field: string): T | null {
    const known = this.#opened.get(field);
    return known === undefined ? this.#openFirst(field) : known;
  }

  #openFirst(name: string): T | null {
    const ordinal = fieldOrdinals(this.#schema).get(name);
    if (ordinal === undefined) return null;
    const opened = this.#has(this.#schema.fields[ordinal]!) ? this.#open(ordinal) : null;
    this.#opened.set(name, opened);
    return opened;
  }
}
