/** What a file of the catalog holds. */
export type CatalogFileKind = "index" | "federation" | "aliases" | "keys";

type Members = Readonly<Record<string, unknown>>;

/**
 * Whether the content of a catalog file has what everybody who reads it goes by without looking. Values are as whoever
 * wrote them had checked them.
 */
export function hasShape(kind: CatalogFileKind, content: unknown): boolean {
  return SHAPES[kind](content);
}

const SHAPES: Readonly<Record<CatalogFileKind, (content: unknown) => boolean>> = {
  index: (content) =>
    isObject(content) &&
    isSchema(content["schema"]) &&
    (content["next_schema"] === undefined || isSchema(content["next_schema"])) &&
    // It becomes a path.
    isText(content["storageId"], /^[A-Za-z0-9_-]{1,200}$/) &&
    isListOf(content["custom_stopwords"], isString) &&
    isListOf(content["stopword_exceptions"] ?? [], isString) &&
    isMapOf(content["synonyms"], (terms) => isListOf(terms, isString)),
  federation: (content) =>
    isObject(content) &&
    isText(content["name"], NAME) &&
    isListOf(
      content["index_configurations"],
      (member) =>
        isObject(member) && isString(member["name"]) && typeof member["weight_multiplier"] === "number",
    ),
  aliases: (content) => isMapOf(content, isString),
  keys: (content) =>
    isListOf(
      content,
      (key) =>
        isObject(key) &&
        (key["id"] === undefined ? isString(key["key"]) : isString(key["id"])) &&
        (isString(key["key"]) || isObject(key["key"])) &&
        Number.isInteger(key["permissions"]) &&
        isListOf(key["allowed_indexes"], isString) &&
        (key["status"] === "active" || key["status"] === "inactive"),
    ),
};

const NAME = /^[A-Za-z0-9_-]{1,128}$/;

function isSchema(value: unknown): boolean {
  return (
    isObject(value) &&
    isText(value["name"], NAME) &&
    isMapOf(value["fields"], (field) => isObject(field) && isString(field["type"])) &&
    isListOf(value["search_fields"], isString) &&
    isMapOf(value["weight_multipliers"], (weight) => typeof weight === "number")
  );
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

function isText(value: unknown, pattern: RegExp): boolean {
  return isString(value) && pattern.test(value);
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isListOf(value: unknown, isMember: (member: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isMember);
}

function isMapOf(value: unknown, isMember: (member: unknown) => boolean): boolean {
  return isObject(value) && Object.values(value).every(isMember);
}
