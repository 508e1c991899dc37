import type { Shape, Shapes } from "../contract/nested-fields.js";
import { asWireObject, describeKind, type WireObject } from "../contract/wire-object.js";

/** A value somewhere in a list of objects. */
export class ListedValue {
  readonly written: unknown;
  /** Where it is in the request. */
  readonly place: string;
  /** What has become of it: 0 where it is a value by itself, else the number of values of its list; undefined for none. */
  shape: number | undefined;

  constructor(written: unknown, place: string) {
    this.written = written;
    this.place = place;
  }
}

/** What a document has for the fields of a schema, whether their names are members or paths within objects. */
export interface FieldMembers {
  /** By field what was written for it, outside of lists of objects. */
  readonly plain: ReadonlyMap<string, unknown>;
  /** By field what was written for it in the objects of a list, in their order. */
  readonly listed: ReadonlyMap<string, readonly ListedValue[]>;
  /** Paths of objects that were said to be none, and of lists of objects: no other value beneath them stays. */
  readonly whole: readonly string[];
  /** The lists' shapes, once what became of all values has been noted. */
  shapes(): Shapes | undefined;
}

export interface MembersReport {
  problem(place: string, message: string): void;
  /** A member that is no field's, and isn't null. */
  ignored(path: string): void;
}

interface Node {
  /** The field's name; null for an object on the way to fields. */
  readonly field: string | null;
  readonly members: Map<string, Node>;
}

interface ShapeInTheMaking {
  [member: string]: ListedValue | ShapeInTheMaking | ShapeInTheMaking[];
}

/** Finds what documents have for the fields of a schema with paths among their names. */
export class NestedMembers {
  readonly #root: Node = { field: null, members: new Map() };

  constructor(fields: readonly string[]) {
    for (const name of fields) {
      const members = name.split(".");
      const last = members.pop()!;
      let node = this.#root;
      for (const member of members) {
        let next = node.members.get(member);
        if (next === undefined) node.members.set(member, (next = { field: null, members: new Map() }));
        node = next;
      }
      node.members.set(last, { field: name, members: new Map() });
    }
  }

  /** @param place the document's, such as `[3]`, or empty */
  read(document: WireObject, place: string, report: MembersReport): FieldMembers {
    const reading = new Reading(report);
    reading.object(document, { node: this.#root, path: "", place, shape: null });
    return reading;
  }
}

interface ObjectPlace {
  readonly node: Node;
  /** Names on the way, with dots between. */
  readonly path: string;
  readonly place: string;
  /** Where the shape of the object is noted; null outside of lists. */
  readonly shape: ShapeInTheMaking | null;
}

class Reading implements FieldMembers {
  readonly plain = new Map<string, unknown>();
  readonly listed = new Map<string, ListedValue[]>();
  readonly whole: string[] = [];
  readonly #report: MembersReport;
  readonly #lists = new Map<string, ShapeInTheMaking[]>();
  /** What has been read, by place: a value, an object, or a list of them. */
  readonly #seen = new Map<string, "value" | "object" | "list">();

  constructor(report: MembersReport) {
    this.#report = report;
  }

  object(object: WireObject, at: ObjectPlace): void {
    for (const name of Object.keys(object)) this.#member(name, object[name], at);
  }

  #member(name: string, value: unknown, at: ObjectPlace): void {
    const steps = name.includes(".") ? name.split(".") : [name];
    const path = at.path === "" ? name : `${at.path}.${name}`;
    const place = at.place === "" ? name : `${at.place}.${name}`;
    let node: Node | undefined = at.node;
    for (const step of steps) node = node?.members.get(step);
    if (node === undefined) {
      if (value !== null) this.#report.ignored(path);
      return;
    }
    const kind = node.field !== null ? "value" : Array.isArray(value) && value.length > 0 ? "list" : "object";
    const before = this.#seen.get(place);
    this.#seen.set(place, kind);
    if (before !== undefined && (kind !== "object" || before !== kind)) {
      this.#report.problem(place, "is there twice, as a member of that name and within an object");
      return;
    }
    if (node.field !== null) this.#value(node.field, value, { at, steps, place });
    else this.#within(value, { node, path, place, shape: at.shape }, steps);
  }

  #value(
    field: string,
    written: unknown,
    {
      at,
      steps,
      place,
    }: { readonly at: ObjectPlace; readonly steps: readonly string[]; readonly place: string },
  ): void {
    if (at.shape === null) {
      this.plain.set(field, written);
      return;
    }
    if (written === null) return;
    const value = new ListedValue(written, place);
    const others = this.listed.get(field);
    if (others === undefined) this.listed.set(field, [value]);
    else others.push(value);
    shapeAt(at.shape, steps.slice(0, -1))[steps.at(-1)!] = value;
  }

  /** What stands where the schema has an object. */
  #within(value: unknown, at: ObjectPlace, steps: readonly string[]): void {
    // Where there is none, databases write empty text and PHP an empty list.
    if (value === null || value === "" || (Array.isArray(value) && value.length === 0)) {
      if (at.shape === null) this.whole.push(at.path);
      return;
    }
    if (!Array.isArray(value)) {
      const object = asWireObject(value);
      if (object === undefined)
        this.#report.problem(at.place, `must be an object, or a list of them, not ${describeKind(value)}`);
      else this.object(object, { ...at, shape: at.shape === null ? null : shapeAt(at.shape, steps) });
      return;
    }
    const shapes: ShapeInTheMaking[] = [];
    if (at.shape !== null) shapeAt(at.shape, steps.slice(0, -1))[steps.at(-1)!] = shapes;
    else {
      this.#lists.set(at.path, shapes);
      this.whole.push(at.path);
    }
    for (const [i, element] of (value as readonly unknown[]).entries()) {
      const object = Array.isArray(element) ? undefined : asWireObject(element);
      if (object === undefined) {
        if (element === null) continue;
        this.#report.problem(`${at.place}[${i}]`, `must be an object, not ${describeKind(element)}`);
        return;
      }
      const shape = emptyShape();
      shapes.push(shape);
      this.object(object, { ...at, place: `${at.place}[${i}]`, shape });
    }
  }

  shapes(): Shapes | undefined {
    const lists: [string, readonly Shape[]][] = [];
    for (const [path, objects] of this.#lists) {
      const finished = finishedShape(objects);
      if (finished !== undefined) lists.push([path, finished as readonly Shape[]]);
    }
    return lists.length === 0 ? undefined : Object.fromEntries(lists);
  }
}

/** Without anything inherited, so that members may have any name. */
function emptyShape(): ShapeInTheMaking {
  return Object.create(null) as ShapeInTheMaking;
}

function shapeAt(shape: ShapeInTheMaking, steps: readonly string[]): ShapeInTheMaking {
  let at = shape;
  for (const step of steps) at = (at[step] ??= emptyShape()) as ShapeInTheMaking;
  return at;
}

/** Undefined where there is no value in it. Objects of a list without values stay where others have some. */
function finishedShape(shape: ListedValue | ShapeInTheMaking | ShapeInTheMaking[]): Shape | undefined {
  if (Array.isArray(shape)) {
    const objects = shape.map(finishedShape);
    return objects.every((each) => each === undefined) ? undefined : objects.map((each) => each ?? {});
  }
  if (shape instanceof ListedValue) return shape.shape;
  const members: [string, Shape][] = [];
  for (const [member, each] of Object.entries(shape)) {
    const finished = finishedShape(each);
    if (finished !== undefined) members.push([member, finished]);
  }
  return members.length === 0 ? undefined : Object.fromEntries(members);
}
