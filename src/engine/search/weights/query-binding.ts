import { FindlingError } from "../../../errors/index.js";
import type { EngineField, EngineSchema, FieldKind } from "../../schema/engine-schema.js";
import { NO_INTERRUPT, type SearchInterrupt } from "../search-interrupt.js";
import type { CollectionStatistics } from "../search-types.js";
import { Bm25Similarity } from "../similarity/bm25-similarity.js";

/** Clauses that are bound between two looks at the clock; a power of two. */
const CLAUSES_PER_CHECK = 256;

/** Kinds of fields that are asked for words. */
export const WORD_KINDS: readonly FieldKind[] = ["text", "label"];

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
  #clauses = 0;
  readonly #schema: EngineSchema;
  readonly #fields: ReadonlyMap<string, EngineField>;
  /** By the schema's text fields that were asked for. */
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
    this.#fields = known === null ? fieldsOf(schema) : known.#fields;
    this.#textFields = known === null ? new Map() : known.#textFields;
    this.#schema = schema;
  }

  /** To be called before each clause of a query is bound. @throws FindlingError `search_timeout` */
  beginClause(): void {
    if (this.#clauses === 0) this.interrupt.check();
    this.#clauses = (this.#clauses + 1) & (CLAUSES_PER_CHECK - 1);
  }

  /** This binding for another search, which shares what is known of the fields. */
  endedBy(interrupt: SearchInterrupt): QueryBinding {
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

  /** As `field`, or a text field that is a key. */
  fieldWithColumn(name: string, kinds: readonly FieldKind[]): EngineField {
    const field = this.#fields.get(name);
    return field?.keyed === true ? field : this.field(name, kinds);
  }

  /** @throws FindlingError as `field`, for any but a field with words */
  textField(name: string): BoundTextField {
    const known = this.#textFields.get(name);
    if (known !== undefined) return known;
    // The name as the schema has it, as a query's may be a part of its text.
    const { name: own } = this.field(name, WORD_KINDS);
    const statistics = this.statistics.fieldStatistics(own);
    const bound = { similarity: Bm25Similarity.of(statistics), docCount: statistics.docCount };
    this.#textFields.set(own, bound);
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
