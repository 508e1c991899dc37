import Type, { type TSchema } from "typebox";
import { FindlingError } from "../errors/index.js";
import { invalidMember, requireObject } from "./invalid-member.js";
import { asWireObject, describeKind, memberOf } from "./wire-object.js";

/** A second name of an index, which can be given to another one in no time. */
export interface Alias {
  readonly alias: string;
  readonly index: string;
}

/** Aliases that one swap may change. */
const SWAPPED_MAX = 100;

const alias = Type.Object({ alias: Type.String(), index: Type.String() });

export const aliasListSchema: TSchema = Type.Array(alias, {
  examples: [[{ alias: "products", index: "products_v7" }]],
});

export const aliasBodySchema: TSchema = Type.Object(
  { index: Type.String({ description: "The index that is meant from now on." }) },
  { examples: [{ index: "products_v7" }] },
);

export const aliasSwapBodySchema: TSchema = Type.Array(alias, {
  minItems: 1,
  maxItems: SWAPPED_MAX,
  description: "All are changed, at once, or none.",
  examples: [[{ alias: "products", index: "products_v8" }]],
});

/** The index that a body of `PUT /alias/:alias_name` names. @throws FindlingError `invalid_request` */
export function parseAliasBody(body: unknown): string {
  return nameIn(requireObject(body), "index", "index");
}

/** @throws FindlingError `invalid_request` */
export function parseSwapBody(body: unknown): readonly Alias[] {
  if (!Array.isArray(body))
    throw refused(`must be a list of objects with 'alias' and 'index', not ${describeKind(body)}`);
  if (body.length === 0 || body.length > SWAPPED_MAX)
    throw refused(`must name 1 to ${SWAPPED_MAX} aliases, not ${body.length}`);
  const swapped = body.map((entry: unknown, i): Alias => {
    const object = asWireObject(entry);
    if (object === undefined) throw invalidMember(`[${i}]`, `must be an object, not ${describeKind(entry)}`);
    return { alias: nameIn(object, "alias", `[${i}].alias`), index: nameIn(object, "index", `[${i}].index`) };
  });
  if (new Set(swapped.map((each) => each.alias)).size === swapped.length) return swapped;
  throw refused("names an alias twice");
}

function nameIn(object: Readonly<Record<string, unknown>>, member: string, path: string): string {
  const name = memberOf(object, member);
  if (typeof name === "string") return name;
  throw invalidMember(path, `must be a name, not ${describeKind(name)}`);
}

function refused(problem: string): FindlingError {
  return new FindlingError("invalid_request", `the body ${problem}`);
}
