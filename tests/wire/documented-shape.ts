import type { TSchema } from "typebox";
import { Errors } from "typebox/value";

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: unknown;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>;
}

/**
 * Where an answer departs from the schema that documents it. Stricter than the schema itself: a
 * member that it doesn't name is a departure too, unless it says that others may come.
 */
export function departures(schema: object, answer: unknown): readonly string[] {
  const closed = closedSchema(schema as SchemaNode) as TSchema;
  return Errors(closed, answer).map(
    ({ instancePath, keyword, message }) => `${instancePath} ${keyword}: ${message}`,
  );
}

function closedSchema(schema: SchemaNode): SchemaNode {
  return {
    ...schema,
    ...(schema.properties !== undefined && {
      properties: closedMembers(schema.properties),
      additionalProperties: schema.additionalProperties ?? false,
    }),
    ...(schema.patternProperties !== undefined && {
      patternProperties: closedMembers(schema.patternProperties),
    }),
    ...(schema.items !== undefined && { items: closedSchema(schema.items) }),
    ...(schema.anyOf !== undefined && { anyOf: schema.anyOf.map(closedSchema) }),
  };
}

function closedMembers(members: Readonly<Record<string, SchemaNode>>): Record<string, SchemaNode> {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, closedSchema(member)]));
}
