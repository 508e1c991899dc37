import type { IndexSchema } from "../../contract/index-schema.js";
import { toEngineSchema } from "../embedded/to-engine-schema.js";
import { DocumentEncoder } from "./encode-document.js";

type EngineSchema = ReturnType<typeof toEngineSchema>;

/** What is made of an index's schema once, while anybody has it. */
export class LoweredSchemas {
  readonly #engineSchemas = new WeakMap<IndexSchema, EngineSchema>();
  readonly #encoders = new WeakMap<IndexSchema, DocumentEncoder>();

  engineSchema(schema: IndexSchema): EngineSchema {
    let lowered = this.#engineSchemas.get(schema);
    if (lowered === undefined) this.#engineSchemas.set(schema, (lowered = toEngineSchema(schema)));
    return lowered;
  }

  encoder(schema: IndexSchema): DocumentEncoder {
    let encoder = this.#encoders.get(schema);
    if (encoder === undefined)
      this.#encoders.set(schema, (encoder = new DocumentEncoder(this.engineSchema(schema))));
    return encoder;
  }
}
