import { readJson, writeJson } from "../json/exact-json.js";
import type { CanonicalDocument, CanonicalValue } from "./canonical-value.js";
import type { IndexSchema } from "./index-schema.js";

/**
 * Fields whose names are paths: `attributes.color` is the member `color` of the object `attributes`. Documents are kept
 * flat, a member for each field. What that doesn't tell, which values of a list of objects stood in which of them, is
 * in one more member of the document, its shapes.
 */

/** The member of a document that holds its shapes: no field can have the name. */
export const SHAPES_MEMBER = ".";

/**
 * An object of a list, or a list within it, as it came: where values stood 0 for one by itself, or the number of values
 * in a list of its own. Whatever had no value is left out.
 */
export type Shape = number | readonly Shape[] | { readonly [member: string]: Shape };

/** By the path of an outermost list of objects what it looked like. */
export type Shapes = Readonly<Record<string, readonly Shape[]>>;

/** Whether a field is the member of an object. */
export function isPath(name: string): boolean {
  return name.includes(".");
}

/** The name of a document's member that holds a field's value. */
export function rootOf(name: string): string {
  const end = name.indexOf(".");
  return end < 0 ? name : name.slice(0, end);
}

/** The paths of the objects that a field is in, from the outermost. */
export function pathsAbove(name: string): readonly string[] {
  const paths: string[] = [];
  for (let end = name.indexOf("."); end >= 0; end = name.indexOf(".", end + 1))
    paths.push(name.slice(0, end));
  return paths;
}

/** Whether documents of a schema may have shapes. */
export function hasPaths(fields: IndexSchema["fields"]): boolean {
  const known = HAVE_PATHS.get(fields);
  if (known !== undefined) return known;
  const found = Object.keys(fields).some(isPath);
  HAVE_PATHS.set(fields, found);
  return found;
}

/** Asked for every hit. */
const HAVE_PATHS = new WeakMap<IndexSchema["fields"], boolean>();

/** A flat document's JSON as it is shown: objects within objects, lists of them as they came. */
export function nestedJson(json: string, fields: IndexSchema["fields"]): string {
  return hasPaths(fields) ? writeJson(nested(readJson(json) as CanonicalDocument, fields)) : json;
}

/** A flat document as it is shown. */
export function nested(document: CanonicalDocument, fields: IndexSchema["fields"]): CanonicalDocument {
  const shapes = shapesOf(document);
  const values = new Map<string, ValuesInTurn>();
  const shown: Container = emptyContainer();
  const places = new Set<string>();
  for (const [name, value] of Object.entries(document)) {
    if (name === SHAPES_MEMBER) continue;
    const list = pathsAbove(name).find((path) => Object.hasOwn(shapes, path));
    if (list === undefined) {
      place(shown, name, value);
      continue;
    }
    const isList = Object.hasOwn(fields, name) && fields[name]!.multi && Array.isArray(value);
    values.set(name, new ValuesInTurn(isList ? (value as readonly CanonicalValue[]) : [value]));
    // Where its first field stands, in the order of the schema.
    if (!places.has(list)) place(shown, list, null);
    places.add(list);
  }
  for (const list of places) place(shown, list, filled(shapes[list]!, list, values) as CanonicalValue);
  return shown as CanonicalDocument;
}

/** Values of one field that go to their places one after the other. */
class ValuesInTurn {
  readonly #values: readonly CanonicalValue[];
  #next = 0;

  constructor(values: readonly CanonicalValue[]) {
    this.#values = values;
  }

  /** @param shape 0 for one value by itself, else how many there are in a list */
  take(shape: number): CanonicalValue | undefined {
    const from = this.#next;
    this.#next += Math.max(1, shape);
    return shape === 0 ? this.#values[from] : this.#values.slice(from, this.#next);
  }
}

type Container = Record<string, unknown>;

/** Without anything inherited, so that members may have any name. */
function emptyContainer(): Container {
  return Object.create(null) as Container;
}

function place(root: Container, path: string, value: CanonicalValue): void {
  const names = path.split(".");
  const last = names.pop()!;
  let container = root;
  for (const name of names) container = (container[name] ??= emptyContainer()) as Container;
  container[last] = value;
}

function filled(shape: Shape, path: string, values: ReadonlyMap<string, ValuesInTurn>): unknown {
  if (typeof shape === "number") return values.get(path)?.take(shape);
  if (Array.isArray(shape)) return (shape as readonly Shape[]).map((each) => filled(each, path, values));
  const object = emptyContainer();
  for (const [member, each] of Object.entries(shape)) {
    const value = filled(each, `${path}.${member}`, values);
    if (value !== undefined) object[member] = value;
  }
  return object;
}

function shapesOf(document: CanonicalDocument): Shapes {
  return Object.hasOwn(document, SHAPES_MEMBER) ? (document[SHAPES_MEMBER] as unknown as Shapes) : {};
}

/**
 * The shapes of a document after a change: of a list of which a field got or lost values only what the change itself
 * says is known. Undefined where there are none.
 */
export function changedShapes(
  document: CanonicalDocument,
  set: CanonicalDocument,
  removed: readonly string[],
): CanonicalValue | undefined {
  const before = Object.entries(shapesOf(document));
  const touched = [...Object.keys(set), ...removed];
  const kept = before.filter(([list]) => !touched.some((name) => name.startsWith(`${list}.`)));
  const shapes = { ...Object.fromEntries(kept), ...shapesOf(set) };
  return Object.keys(shapes).length === 0 ? undefined : (shapes as unknown as CanonicalValue);
}

/** The member of a document that a path names: one of that name, or within objects; null counts as absent. */
export function memberAt(document: Readonly<Record<string, unknown>>, path: string): unknown {
  const own = (object: unknown, name: string): unknown =>
    typeof object === "object" && object !== null && Object.hasOwn(object, name)
      ? ((object as Record<string, unknown>)[name] ?? undefined)
      : undefined;
  const literal = own(document, path);
  if (literal !== undefined || !isPath(path)) return literal;
  return path.split(".").reduce<unknown>(own, document);
}
