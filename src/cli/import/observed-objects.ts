import { pathsAbove, rootOf } from "../../contract/nested-fields.js";

/** Names as an index takes them for fields. */
const FIELD_NAME = /^(?=.{1,128}$)[A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z_][A-Za-z0-9_-]*)*$/;
/** An object with more members, in all documents together, has values for names. */
const MEMBERS_MAX = 100;

export function isUsableName(name: string): boolean {
  return FIELD_NAME.test(name) && !name.split(".").includes("__proto__") && rootOf(name) !== "_id";
}

/** Which members of documents are objects, or lists of them, whose members are fields. */
export class ObservedObjects {
  /** By the object's name the names of its members; null where it was something else, too. */
  readonly #members = new Map<string, Set<string> | null>();
  readonly #inLists = new Set<string>();

  /**
   * The members of an object by their dotted names; of a list of objects all values of each. None where the value is no
   * object, or isn't always one.
   *
   * @param value not null
   */
  membersOf(name: string, value: unknown): ReadonlyMap<string, unknown> {
    const found = new Map<string, unknown>();
    const isList = Array.isArray(value);
    const objects = isList ? (value as readonly unknown[]).filter((each) => each !== null) : [value];
    // Databases write empty text where there is no object.
    if (value === "" || objects.length === 0 || this.#members.get(name) === null) return found;
    if (!objects.every((each) => isPlainObject(each, name))) {
      this.#members.set(name, null);
      return found;
    }
    const members = this.#members.get(name) ?? new Set<string>();
    this.#members.set(name, members);
    for (const object of objects as readonly object[]) {
      for (const [member, each] of Object.entries(object)) {
        const path = `${name}.${member}`;
        if (members.size <= MEMBERS_MAX) members.add(path);
        if (!members.has(path)) continue;
        if (isList || this.#inLists.has(name)) this.#inLists.add(path);
        if (!isList) found.set(path, each);
        else found.set(path, [...((found.get(path) as unknown[] | undefined) ?? []), ...listOf(each)]);
      }
    }
    return found;
  }

  /** Whether a member stood in the objects of a list. */
  isInList(name: string): boolean {
    return this.#inLists.has(name);
  }

  /** Those of the names that become fields: objects whose members do become none themselves. */
  fieldsAmong(names: readonly string[]): readonly string[] {
    const known = new Set(names);
    return names.filter(
      (name) =>
        !this.#isTakenApart(name) &&
        pathsAbove(name).every((path) => !known.has(path) || this.#isTakenApart(path)),
    );
  }

  #isTakenApart(name: string): boolean {
    const count = this.#members.get(name)?.size ?? 0;
    return count > 0 && count <= MEMBERS_MAX;
  }
}

function isPlainObject(value: unknown, name: string): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.keys(value).every((member) => !member.includes(".") && isUsableName(`${name}.${member}`));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [value];
}
