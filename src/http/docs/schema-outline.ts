/** The parts of JSON Schema that the contract's schemas use. */
export interface SchemaNode {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly examples?: readonly unknown[];
}

/** A schema in words, one indented line for each member: `limit?: integer, at least 0. Default 20.` */
export function schemaOutline(schema: SchemaNode): string {
  return [`${kindOf(schema)}${remark(schema)}`, ...memberLines(schema, 1)].join("\n");
}

/** A value that fits the schema: its own example, or one put together from its members' examples. */
export function schemaExample(schema: SchemaNode): unknown {
  if (schema.examples !== undefined && schema.examples.length > 0) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf !== undefined) return schemaExample(schema.anyOf[0] ?? {});
  if (schema.properties !== undefined) {
    const required = Object.entries(schema.properties).filter(([name]) => schema.required?.includes(name));
    return Object.fromEntries(required.map(([name, member]) => [name, schemaExample(member)]));
  }
  switch (schema.type) {
    case "array":
      return [schemaExample(schema.items ?? {})];
    case "object":
      return {};
    case "integer":
    case "number":
      return schema.minimum ?? 0;
    case "boolean":
      return false;
    default:
      return "text";
  }
}

function memberLines(schema: SchemaNode, depth: number): string[] {
  if (schema.items !== undefined) return memberLines(schema.items, depth);
  if (schema.anyOf !== undefined) {
    return schema.anyOf
      .filter((choice) => choice.type !== "array")
      .flatMap((choice) => memberLines(choice, depth));
  }
  const pattern = Object.values(schema.patternProperties ?? {})[0];
  if (pattern !== undefined) return memberLines(pattern, depth);
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const optional = schema.required?.includes(name) ? "" : "?";
    const line = `${"  ".repeat(depth)}${name}${optional}: ${kindOf(member)}${remark(member)}`;
    return [line, ...memberLines(member, depth + 1)];
  });
}

function kindOf(schema: SchemaNode): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  if (schema.anyOf !== undefined) return schema.anyOf.map(kindOf).join(" or ");
  if (schema.type === "array") return `array of ${kindOf(schema.items ?? {})}`;
  const pattern = Object.values(schema.patternProperties ?? {})[0];
  if (pattern !== undefined) return `map of ${kindOf(pattern)}`;
  return schema.type ?? "any JSON";
}

function remark(schema: SchemaNode): string {
  const bounds = [
    ...(schema.minimum === undefined ? [] : [`at least ${schema.minimum}`]),
    ...(schema.maximum === undefined ? [] : [`at most ${schema.maximum}`]),
  ];
  const range = bounds.length === 0 ? "" : `, ${bounds.join(", ")}`;
  return schema.description === undefined ? range : `${range}. ${schema.description}`;
}
