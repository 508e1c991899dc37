import { writeJson } from "../../src/client/exact-json.js";
import type { Document } from "./queries.js";

/**
 * What makes one document of another, as a partial update: members that differ, null for those that are gone. Below
 * members that are no fields themselves, but hold fields, only what differs there.
 *
 * @param fields names of the index's fields; undefined where they aren't known
 */
export function documentChanges(
  before: Document,
  after: Document,
  fields: readonly string[] | undefined,
  path = "",
): Document {
  const changes: Document = {};
  for (const name of Object.keys(before)) if (after[name] === undefined) changes[name] = null;
  for (const [name, value] of Object.entries(after)) {
    const old = before[name];
    if (writeJson(value) === writeJson(old ?? null) && old !== undefined) continue;
    const inner = path === "" ? name : `${path}.${name}`;
    const holdsFields = fields?.some((field) => field.startsWith(`${inner}.`)) === true;
    changes[name] =
      holdsFields && isObject(value) && isObject(old) ? documentChanges(old, value, fields, inner) : value;
  }
  return changes;
}

function isObject(value: unknown): value is Document {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
