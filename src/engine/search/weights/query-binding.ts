import { FindlingError } from "../../../errors/index.js";
import type { EngineField, EngineSchema, FieldKind } from "../../schema/engine-schema.js";
import { NO_INTERRUPT, type SearchInterrupt } from "../search-interrupt.js";
import type { CollectionStatistics } from "../search-types.js";
import { Bm25Similarity } from "../similarity/bm25-similarity.js";

/** What a query is bound to: the fields that it may name and the statistics that its scores depend on. */
export class QueryBinding {
  readonly statistics: CollectionStatistics;
  readonly interrupt: SearchInterrupt;
  readonly #fields: ReadonlyMap<string, EngineField>;
  readonly #similarities: Map<string, Bm25Similarity> = new Map();

  constructor(
    schema: EngineSchema,
    statistics: CollectionStatistics,
    interrupt: SearchInterrupt = NO_INTERRUPT,
  ) {
    this.statistics = statistics;
    this.interrupt = interrupt;
    this.#fields = fieldsOf(schema);
  }

  /** @throws FindlingError `unknown_field`; `invalid_request` if the field is of another kind */
  field(name: string, kinds: readonly FieldKind[]): EngineField {
    const field = this.#fields.get(name);
    if (field === undefined) throw new FindlingError("unknown_field", `field '${name}' is not in the schema`);
    if (!kinds.includes(field.kind)) {
      throw new FindlingError(
        "invalid_request",
        `field '${name}' is of kind ${field.kind}, this query needs one of: ${kinds.join(", ")}`,
      );
    }
    return field;
  }

  similarity(field: string): Bm25Similarity {
    let similarity = this.#similarities.get(field);
    if (similarity === undefined) {
      similarity = Bm25Similarity.of(this.statistics.fieldStatistics(field));
      this.#similarities.set(field, similarity);
    }
    return similarity;
  }
}

const fieldsBySchema = new WeakMap<EngineSchema, ReadonlyMap<string, EngineField>>();

function fieldsOf(schema: EngineSchema): ReadonlyMap<string, EngineField> {
  let fields = fieldsBySchema.get(schema);
  if (fields === undefined) {
    fields = new Map(schema.fields.map((field) => [field.name, field]));
    fieldsBySchema.set(schema, fields);
  }
  return fields;
}
