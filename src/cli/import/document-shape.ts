import type { JsonObject } from "./json-object.js";

/** What a record is made into: a document, the reason why it is none, or nothing where it only tells of the next one. */
export type ShapedRecord =
  | { readonly document: JsonObject }
  | { readonly problem: string }
  | { readonly nothing: true };

/** A way in which exports put documents into records. */
export interface DocumentShape {
  /** For messages: "Elasticsearch's bulk lines". */
  readonly name: string;
  document(record: JsonObject): ShapedRecord;
  /** Told of a record that couldn't be read. */
  bad?(): void;
}

/** The shape of a file's records by the first of them; null if they are documents as they are. */
export function shapeOf(first: JsonObject): DocumentShape | null {
  if (bulkAction(first) !== null) return new BulkLines();
  if (isObject(first["_source"])) return SEARCH_HITS;
  if (isFeature(first)) return GEO_FEATURES;
  if (Object.values(first).some(isExtended)) return EXTENDED_JSON;
  return null;
}

const BULK_ACTIONS = ["index", "create", "update", "delete"] as const;
type BulkAction = (typeof BULK_ACTIONS)[number];

function bulkAction(record: JsonObject): { readonly action: BulkAction; readonly id: unknown } | null {
  const [action, ...others] = Object.keys(record);
  if (others.length > 0 || !(BULK_ACTIONS as readonly (string | undefined)[]).includes(action)) return null;
  const target = record[action!];
  if (!isObject(target) || Object.keys(target).some((name) => !BULK_MEMBERS.test(name))) return null;
  return { action: action as BulkAction, id: target["_id"] };
}

const BULK_MEMBERS =
  /^(?:_.*|routing|version|version_type|retry_on_conflict|pipeline|require_alias|op_type|if_.*)$/;

/** A line that says what to do, and, but for deletes, one with the document. */
class BulkLines implements DocumentShape {
  readonly name = "Elasticsearch's bulk lines";
  #next: ReturnType<typeof bulkAction> = null;

  bad(): void {
    this.#next = null;
  }

  document(record: JsonObject): ShapedRecord {
    const waiting = this.#next;
    if (waiting === null) {
      const action = bulkAction(record);
      if (action === null) return { problem: "no line before it says what to do with it" };
      if (action.action === "delete") return { problem: "a delete of a document can't be imported" };
      this.#next = action;
      return { nothing: true };
    }
    this.#next = null;
    if (waiting.action === "update") return { problem: "an update of a document can't be imported" };
    return { document: withId(record, waiting.id) };
  }
}

const SEARCH_HITS: DocumentShape = {
  name: "hits of Elasticsearch or OpenSearch",
  document(record) {
    const source = record["_source"];
    if (!isObject(source)) return { problem: "it has no '_source'" };
    return { document: withId(source, record["_id"]) };
  },
};

const GEO_FEATURES: DocumentShape = {
  name: "features of GeoJSON",
  document(record) {
    if (!isFeature(record)) return { problem: "it is no feature of GeoJSON" };
    const { geometry, properties, id } = record;
    const coordinates = isObject(geometry) && geometry["type"] === "Point" ? geometry["coordinates"] : null;
    const [longitude, latitude] = Array.isArray(coordinates) ? (coordinates as unknown[]) : [];
    return {
      document: withId(
        {
          ...(isObject(properties) ? properties : {}),
          ...(typeof longitude === "number" && typeof latitude === "number" ? { longitude, latitude } : {}),
          ...(geometry === null ? {} : { geometry }),
        },
        id,
      ),
    };
  },
};

const EXTENDED_JSON: DocumentShape = {
  name: "MongoDB's extended JSON",
  document(record) {
    const { _id, ...members } = plain(record) as JsonObject;
    return { document: withId(members, _id) };
  },
};

/** RFC 7946: a feature has a geometry and properties, each perhaps null. */
function isFeature(record: JsonObject): boolean {
  return record["type"] === "Feature" && "geometry" in record && "properties" in record;
}

function isExtended(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 1 && Object.keys(value)[0]! in EXTENDED_VALUES;
}

const EXTENDED_VALUES: Readonly<Record<string, (value: unknown) => unknown>> = {
  $oid: (value) => value,
  $date: (value) => (isObject(value) ? Number(value["$numberLong"]) / 1000 : value),
  $numberInt: Number,
  $numberLong: (value) => (/^-?\d{1,20}$/.test(String(value)) ? integer(String(value)) : value),
  $numberDouble: Number,
  $numberDecimal: Number,
};

/** Recursion is as deep as the record, which the parser bounds. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  const [only, ...others] = Object.keys(value);
  const read =
    others.length === 0 && only !== undefined && Object.hasOwn(EXTENDED_VALUES, only)
      ? EXTENDED_VALUES[only]
      : undefined;
  if (read !== undefined) return read(value[only!]);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

/** Nothing is lost where a document has an `id` of its own. */
function withId(document: JsonObject, id: unknown): JsonObject {
  const isId = typeof id === "string" || typeof id === "number";
  return isId && !Object.hasOwn(document, "id") ? { id: String(id), ...document } : document;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function integer(digits: string): number | bigint {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : BigInt(digits);
}
