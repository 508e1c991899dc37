import { PERMISSION } from "../../contract/access-key.js";
import type { FieldView, IndexView } from "../../contract/index-bodies.js";
import type { FieldDefinition, IndexSchema } from "../../contract/index-schema.js";
import type { Authority } from "../authority/authority.js";
import { maskAiConfig } from "./ai-settings.js";

/**
 * A schema as `GET /index/:index_name` shows it, so that what was read can be put back by the same
 * caller (contract 3.2): `ai_enabled` only for those who may change it, secrets covered.
 */
export function viewOf(schema: IndexSchema, authority: Authority): IndexView {
  const { fields, ai_enabled, ai, analysis_version: _, ...settings } = schema;
  return {
    ...settings,
    fields: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldViewOf(field)])),
    ...(authority.holds(PERMISSION.MODIFY_INDEX) ? { ai_enabled } : {}),
    ...(ai === undefined ? {} : { ai: maskAiConfig(ai) }),
  };
}

/** Members in alphabetical order: a client compares the text of what it sent with what it got. */
function fieldViewOf(field: FieldDefinition): FieldView {
  const { coerce, fast, format, hierarchical, indexed, multi } = field;
  const { path_separator, precision, required, separator, stored, type } = field;
  return {
    ...(coerce === undefined ? {} : { coerce }),
    ...(fast === undefined ? {} : { fast }),
    ...(format === undefined ? {} : { format }),
    ...(hierarchical === undefined ? {} : { hierarchical }),
    indexed,
    multi,
    ...(path_separator === undefined ? {} : { path_separator }),
    ...(precision === undefined ? {} : { precision }),
    required,
    ...(separator === undefined ? {} : { separator }),
    stored,
    type,
  };
}
