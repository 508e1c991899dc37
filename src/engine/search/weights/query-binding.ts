import { FindlingError } from "../../../errors/index.js";
import type { EngineField, EngineSchema, FieldKind } from "../../schema/engine-schema.js";
import { NO_INTERRUPT, type SearchInterrupt } from "../search-interrupt.js";
import type { CollectionStatistics } from "../search-types.js";
import { Bm25Similarity } from "../similarity/bm25-similarity.js";
import { BoundTerm, type BoundTextField } from "./bound-term.js";

/** Terms that are remembered, about 200 bytes each; beyond that all are forgotten. */
const TERMS_MAX = 10_000;

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
  readonly #terms: BoundTerms;

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
    this.#terms = known === null ? { byField: new Map(), count: 0 } : known.#terms;
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

  /** @throws FindlingError as `textField` */
  term(field: string, term: string): BoundTerm {
    const known = this.#terms.byField.get(field)?.get(term);
    return known === undefined ? this.#bind(field, term) : known;
  }

  #bind(field: string, term: string): BoundTerm {
    const bound = new BoundTerm(field, term, this.textField(field), this.statistics.docFreq(field, term));
    const terms = this.#terms;
    if (terms.count++ >= TERMS_MAX) {
      terms.byField.clear();
      terms.count = 1;
    }
    let ofField = terms.byField.get(field);
    if (ofField === undefined) terms.byField.set(field, (ofField = new Map()));
    ofField.set(term, bound);
    return bound;
  }
}

/** By field, by term. */
interface BoundTerms {
  readonly byField: Map<string, Map<string, BoundTerm>>;
  count: number;
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
