import type { EngineSchema } from "../schema/engine-schema.js";
import type { FieldValue } from "./document-values.js";

/** JSON texts of documents: exact, members in schema order. */
export class DocumentJson {
  readonly #names: readonly string[];
  readonly #isStored: readonly boolean[];

  constructor(schema: EngineSchema) {
    this.#names = schema.fields.map((field) => `${JSON.stringify(field.name)}:`);
    this.#isStored = schema.fields.map((field) => field.stored);
  }

  /** The fields that a hit returns. */
  stored(values: readonly FieldValue[]): string {
    return this.#json(values, true);
  }

  /** The fields kept apart. */
  unstored(values: readonly FieldValue[]): string {
    return this.#json(values, false);
  }

  #json(values: readonly FieldValue[], stored: boolean): string {
    let json = "";
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!.value;
      if (value === undefined || this.#isStored[i] !== stored) continue;
      json += (json === "" ? "" : ",") + this.#names[i] + JSON.stringify(value);
    }
    return `{${json}}`;
  }
}
