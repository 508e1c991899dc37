import { GrowableBytes } from "../bytes/growable-bytes.js";
import { GrowableU32 } from "../bytes/growable-u32.js";
import type { CanonicalDocument } from "../schema/document.js";
import type { EngineField, EngineSchema } from "../schema/engine-schema.js";
import { SortBytesWriter } from "../schema/sort-bytes.js";

/** The values that documents of one write have in their key field. Plain data, for any thread. */
export interface DocumentKeys {
  readonly field: string;
  /** Sort bytes of all values, one behind the other. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** By document where its value starts, and behind them where the last one ends. */
  readonly starts: Uint32Array<ArrayBuffer>;
  /** Places of documents without a value, ascending. */
  readonly absent: readonly number[];
}

/** The field whose values are kept beside its terms; null if the schema has none. */
export function keyedField({ fields }: EngineSchema): EngineField | null {
  return fields.find((field) => field.keyed === true) ?? null;
}

/** Collects keys of documents as they are encoded. */
export class DocumentKeysWriter {
  readonly #field: EngineField;
  readonly #sortBytes = new SortBytesWriter();
  readonly #bytes = new GrowableBytes();
  readonly #starts = new GrowableU32();
  readonly #absent: number[] = [];

  /** @param field of one value, that has a column */
  constructor(field: EngineField) {
    this.#field = field;
  }

  /** @throws FindlingError `invalid_field_value` */
  add(document: CanonicalDocument): void {
    const { name } = this.#field;
    const value = Object.hasOwn(document, name) ? document[name] : undefined;
    if (value === undefined) {
      this.#absent.push(this.#starts.length);
      this.#starts.push(this.#bytes.length);
      return;
    }
    this.#starts.push(this.#bytes.length);
    const length = this.#sortBytes.write(this.#field, value);
    this.#bytes.append(this.#sortBytes.bytes.subarray(0, length));
  }

  /** The keys in memory of their own. */
  end(): DocumentKeys {
    const bytes = new Uint8Array(this.#bytes.length);
    bytes.set(this.#bytes.toSection());
    const starts = new Uint32Array(this.#starts.length + 1);
    starts.set(this.#starts.toSection());
    starts[starts.length - 1] = bytes.length;
    return { field: this.#field.name, bytes, starts, absent: this.#absent };
  }
}

/** The sort bytes of a document's key: a view. */
export function keyOf({ bytes, starts }: DocumentKeys, place: number): Uint8Array {
  return bytes.subarray(starts[place], starts[place + 1]);
}
