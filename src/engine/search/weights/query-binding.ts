import { FindlingError } from "../../../errors/index.js";
import type { EngineField, EngineSchema, FieldKind } from "../../schema/engine-schema.js";
import { NO_INTERRUPT, type SearchInterrupt } from "../search-interrupt.js";
import type { CollectionStatistics } from "../search-types.js";
import { Bm25Similarity } from "../similarity/bm25-similarity.js";

/** What the scores of a text field's terms depend on. */
export interface BoundTextField {
  readonly similarity: Bm25Similarity;
  /** Documents with a token in it. */
  readonly docCount: number;
}

/**
 * What queries are bound to: the fields that they may name and the statistics that their scores depend
 * on, which don't change.
 */
export class QueryBinding {
  readonly statistics: CollectionStatistics;
  readonly interrupt: SearchInterrupt;
  readonly #schema: EngineSchema;
  readonly #fields: ReadonlyMap<string, EngineField>;
  readonly #textFields: Map<string, BoundTextField>;

  /** @param known one for the same schema and statistics */
  constructor(
    schema: EngineSchema,
    statistics: CollectionStatistics,
    interrupt: SearchInterrupt = NO_INTERRUPT,
    known: QueryBinding | null = null,
  ) {
    this.statistics = statistics;
    this.interrupt = interrupt;
    this.#fields = fieldsOf(schema);
    this.#textFields = known === null ? new Map() : known.#textFields;
    this.#schema = schema;
  }

  /** The same for another search, which shares what is known of the fields. */
  endedBy(interrupt: SearchInterrupt): QueryBinding {
    if (interrupt === this.interrupt) return this;
    return new QueryBinding(this.#schema, this.statistics, interrupt, this);
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

  /** @throws FindlingError as `field`, for any but a text field */
  textField(name: string): BoundTextField {
    const known = this.#textFields.get(name);
    if (known !== undefined) return known;
    this.field(name, ["text"]);
    const statistics = this.statistics.fieldStatistics(name);
    const bound = { similarity: Bm25Similarity.of(statistics), docCount: statistics.docCount };
    this.#textFields.set(name, bound);
    return bound;
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
