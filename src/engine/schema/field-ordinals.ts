import type { EngineField, EngineSchema } from "./engine-schema.js";

/** Each field's place in its schema by name, so that asking for all of many takes no square of them. */
export function fieldOrdinals(schema: EngineSchema): ReadonlyMap<string, number> {
  let ordinals = KNOWN.get(schema);
  if (ordinals === undefined) {
    ordinals = new Map(schema.fields.map(({ name }, ordinal) => [name, ordinal]));
    KNOWN.set(schema, ordinals);
  }
  return ordinals;
}

/** Undefined if the schema has no field of the name. */
export function fieldOf(schema: EngineSchema, name: string): EngineField | undefined {
  const ordinal = fieldOrdinals(schema).get(name);
  return ordinal === undefined ? undefined : schema.fields[ordinal];
}

/** A schema is the same for the life of an index. */
const KNOWN = new WeakMap<EngineSchema, ReadonlyMap<string, number>>();
