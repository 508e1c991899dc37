import { ANALYSIS_VERSION } from "../../analysis/analyzer.js";
import { FindlingError } from "../../errors/index.js";
import { type EngineField, type EngineSchema, FIELD_KINDS, type FieldKind } from "./engine-schema.js";

/** A field as short as it can be said: its kind, or its kind and what differs from the defaults. */
export type FieldShorthand = FieldKind | (Partial<Omit<EngineField, "name">> & { readonly kind: FieldKind });

/**
 * A schema with defaults filled in: fields are indexed, stored and single-valued, text is analysed
 * without stemming.
 *
 * @throws FindlingError `invalid_schema` if there is no field, or one of a kind that there isn't
 */
export function defineSchema(
  fields: Readonly<Record<string, FieldShorthand>>,
  analyzer: EngineSchema["analyzer"] = { version: ANALYSIS_VERSION },
): EngineSchema {
  const named = Object.entries(fields).map(([name, field]): EngineField => {
    const given = typeof field === "string" ? { kind: field } : field;
    if (!FIELD_KINDS.includes(given.kind)) {
      const kinds = FIELD_KINDS.join(", ");
      throw new FindlingError(
        "invalid_schema",
        `field '${name}': there is no kind '${given.kind}', only ${kinds}`,
      );
    }
    return { name, indexed: true, stored: true, multi: false, ...given };
  });
  if (named.length === 0) throw new FindlingError("invalid_schema", "a schema needs at least one field");
  return { fields: named, analyzer };
}
