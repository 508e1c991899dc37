import type { EngineField } from "../schema/engine-schema.js";
import type { ColumnWriter } from "../segment/columns/column-writer.js";
import type { TextOrderWriter } from "../segment/text-order/text-order-writer.js";
import type { TextFieldBuilder } from "./text-field-builder.js";

/** The structures that a field's kind and options ask for. */
export interface FieldWriters {
  readonly field: EngineField;
  /** Whether every object has a member of the field's name, which then is a document's own or none. */
  readonly isInherited: boolean;
  readonly terms: TextFieldBuilder | null;
  readonly order: TextOrderWriter | null;
  readonly column: ColumnWriter | null;
}
