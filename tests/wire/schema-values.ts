import fc from "fast-check";
import type { SchemaNode } from "../../src/http/docs/schema-outline.js";

/** Names for the members of maps: ones that the tests' index has, and ones made to trip over. */
const MEMBER_NAMES = [
  "id",
  "title",
  "rating",
  "raw",
  "nope",
  "constructor",
  "toString",
  "",
  "_id",
  "a.b",
  "0",
];

/** Values that fit a schema, with optional members there or not. */
export function validValue(schema: SchemaNode): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(validValue));
  const map = Object.values(schema.patternProperties ?? {})[0];
  if (map !== undefined)
    return fc.dictionary(fc.constantFrom(...MEMBER_NAMES), validValue(map), { maxKeys: 4 });
  switch (schema.type) {
    case "object": {
      const members = Object.entries(schema.properties ?? {}).map(
        ([name, member]) => [name, validValue(member)] as const,
      );
      return fc.record(Object.fromEntries(members), { requiredKeys: [...(schema.required ?? [])] });
    }
    case "array":
      return fc.array(validValue(schema.items ?? {}), { maxLength: 4 });
    case "string":
      return fc.oneof(fc.string(), fc.constantFrom("id", "title", "en", "count", "text"));
    case "integer":
      return fc.integer({ min: schema.minimum ?? -10, max: schema.maximum ?? 300 });
    case "number":
      return fc.double({ min: schema.minimum ?? -10, max: schema.maximum ?? 300, noNaN: true });
    case "boolean":
      return fc.boolean();
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

/**
 * Copies of a value, each with another of its places, as the schema knows them, holding one of the
 * wrong values; the value itself comes last. Without one, a whole value of the schema is put together.
 */
export function withWrongPlace(
  schema: SchemaNode,
  wrong: readonly unknown[],
  value: unknown = wholeValue(schema),
): readonly unknown[] {
  const broken = placesOf(value).flatMap((place) => wrong.map((each) => replaced(value, place, each)));
  return [...broken, value];
}

/** A value with every member that the schema names, so that every place is reached. */
function wholeValue(schema: SchemaNode): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf !== undefined) return wholeValue(schema.anyOf[0]!);
  const map = Object.values(schema.patternProperties ?? {})[0];
  if (map !== undefined) return { title: wholeValue(map) };
  switch (schema.type) {
    case "object":
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, member]) => [name, wholeValue(member)]),
      );
    case "array":
      return [wholeValue(schema.items ?? {})];
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return false;
    default:
      return "title";
  }
}

type Place = readonly (string | number)[];

function placesOf(value: unknown, place: Place = []): readonly Place[] {
  if (typeof value !== "object" || value === null) return [place];
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [place, ...members.flatMap(([name, member]) => placesOf(member, [...place, name]))];
}

function replaced(value: unknown, [name, ...rest]: Place, by: unknown): unknown {
  if (name === undefined) return by;
  if (Array.isArray(value))
    return value.map((each, index) => (index === name ? replaced(each, rest, by) : each));
  const members = Object.entries(value as Record<string, unknown>);
  return Object.fromEntries(
    members.map(([each, member]) => [each, each === name ? replaced(member, rest, by) : member]),
  );
}
