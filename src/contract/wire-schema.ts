import type { Static, TSchema } from "typebox";

/** A schema whose values are of type `T`; no schema has the member, it carries the type only. */
export interface WireSchema<T> extends TSchema {
  readonly "~valueType"?: T;
}

/**
 * Ties a request or answer schema to the interface that the code uses. A member that the two don't
 * agree on, by name, type or being optional, does not compile:
 * `schemaOf<Interface>()(Type.Object({ … }))`.
 */
export function schemaOf<T>(): <S extends TSchema>(schema: S & Agreement<T, Static<S>>) => WireSchema<T> {
  return (schema) => schema;
}

type Agreement<T, U> = [Mutable<U>] extends [Mutable<T>]
  ? [Mutable<T>] extends [Mutable<U>]
    ? unknown
    : { readonly schemaAsksMoreThanTheInterface: T }
  : { readonly interfaceAsksMoreThanTheSchema: U };

type Mutable<T> = T extends readonly (infer Element)[]
  ? Mutable<Element>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Mutable<T[Key]> }
    : T;
