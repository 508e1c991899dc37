import type { CanonicalValue } from "../contract/canonical-value.js";
import type { FieldDefinition } from "../contract/index-schema.js";
import { isNumberFormat, type NumberFormat, plainNumber } from "../contract/values/number-format.js";
import { parseDatetime } from "../contract/values/parse-datetime.js";
import { parseFacetPath } from "../contract/values/parse-facet-path.js";
import { parseFloat64 } from "../contract/values/parse-float64.js";
import { parseInteger } from "../contract/values/parse-integer.js";
import { writtenBoolean } from "../contract/values/written-boolean.js";
import { isZeroDate, writtenTime } from "../contract/values/written-time.js";
import { readJson } from "../json/exact-json.js";

/** What databases and programs write where there is no value. */
const NO_VALUES: ReadonlySet<string> = new Set(["", "NULL", "null", "\\N"]);
/** What MySQL's exports write so in columns of text as well, where `NULL` may be a word. */
const NO_TEXT = "\\N";

/** A slash within a level of a path that something else separates: it would begin another level. */
const LEVEL_SLASH = "\u2215";

/**
 * A value of a field with `coerce`, in canonical form: undefined where it says that there is none, null where it isn't
 * written in any way that is known, which is for `canonicalValue` to refuse or to take.
 */
export function coercedValue(field: FieldDefinition, raw: unknown): CanonicalValue | undefined | null {
  if (field.type === "bool" && (raw === 0 || raw === 1)) return raw === 1;
  if ((typeof raw === "number" || typeof raw === "bigint") && field.type === "datetime")
    return timeOf(field, String(raw));
  if (typeof raw !== "string") return null;
  switch (field.type) {
    case "text":
      return raw === NO_TEXT ? undefined : null;
    case "facet":
      return facetOf(field, raw);
    case "bytes":
    case "json":
      return null;
    default: {
      const text = raw.trim();
      return NO_VALUES.has(text) ? undefined : typedValue(field, text);
    }
  }
}

/**
 * What one text of a field with `coerce` and `multi` holds: its parts between the field's separators, without white
 * space around them, or the elements of a JSON array or of an array of PostgreSQL (`{a,"b c"}`). Null if it is one value.
 */
export function listedValues(field: FieldDefinition, text: string): readonly unknown[] | null {
  const trimmed = text.trim();
  const listed = jsonArray(trimmed) ?? postgresArray(trimmed);
  if (listed !== null) return listed;
  if (field.separator === undefined) return null;
  return text
    .split(field.separator)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function typedValue(field: FieldDefinition, text: string): CanonicalValue | undefined | null {
  switch (field.type) {
    case "bool":
      return writtenBoolean(text);
    case "f64": {
      if (text === "NaN" || text === "nan") return undefined;
      const number = plainNumber(text, numberFormat(field));
      return number === null ? null : parseFloat64(number);
    }
    case "u64":
    case "i64": {
      const number = plainNumber(text, numberFormat(field));
      // A fraction of nothing is what pandas writes where a column has gaps.
      const whole = number === null ? null : /^\+?(-?\d+)(?:\.0*)?$/.exec(number);
      return whole === null ? null : parseInteger(whole[1]!, field.type);
    }
    default:
      return isZeroDate(text) ? undefined : timeOf(field, text);
  }
}

function numberFormat({ format }: FieldDefinition): NumberFormat | undefined {
  return format !== undefined && isNumberFormat(format) ? format : undefined;
}

function timeOf({ format, precision = "seconds" }: FieldDefinition, text: string): string | null {
  const time = writtenTime(text, format);
  return time === null ? null : parseDatetime(time, precision);
}

function facetOf({ hierarchical, path_separator }: FieldDefinition, raw: string): string | undefined | null {
  if (raw === NO_TEXT) return undefined;
  if (hierarchical === false) return null;
  const text = raw.trim();
  if (text === "") return undefined;
  // What begins as a path is one, as those are that were stored and come back.
  if (path_separator === undefined || text.startsWith("/")) return null;
  const levels = text
    .split(path_separator)
    .map((level) => level.trim().replaceAll("/", LEVEL_SLASH))
    .filter((level) => level !== "");
  return levels.length === 0 ? undefined : parseFacetPath(levels.join("/"));
}

function jsonArray(text: string): readonly unknown[] | null {
  if (!text.startsWith("[") || !text.endsWith("]")) return null;
  try {
    const parsed = readJson(text);
    if (!Array.isArray(parsed)) return null;
    return parsed.every((element) => element === null || typeof element !== "object") ? parsed : null;
  } catch {
    return null;
  }
}

const POSTGRES_ELEMENT = /\s*(?:"((?:[^"\\]|\\.)*)"|([^",{}\\]*))\s*(,|$)/sy;

function postgresArray(text: string): readonly unknown[] | null {
  if (!text.startsWith("{") || !text.endsWith("}")) return null;
  const inner = text.slice(1, -1);
  const elements: string[] = [];
  if (inner.trim() === "") return elements;
  POSTGRES_ELEMENT.lastIndex = 0;
  for (;;) {
    const match = POSTGRES_ELEMENT.exec(inner);
    if (match === null) return null;
    const [, quoted, bare = "", end] = match;
    const element = quoted?.replace(/\\(.)/gs, "$1") ?? bare.trim();
    if (quoted !== undefined || (element !== "" && element.toUpperCase() !== "NULL")) elements.push(element);
    if (end === "") return elements;
  }
}
