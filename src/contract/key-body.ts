import { FindlingError } from "../errors/index.js";
import { checkShape } from "./check-shape.js";
import { type KeyDraft, keyUpdateBodySchema } from "./key-bodies.js";
import { asWireObject, describeKind, type WireObject, withoutNulls } from "./wire-object.js";

const DRAFT_MEMBERS = [
  "name",
  "permissions",
  "allowed_indexes",
  "status",
  "organization_id",
  "organization_name",
  "application_id",
  "application_name",
  "federation_name",
] as const satisfies readonly (keyof KeyDraft)[];

/**
 * What the body sets of a key: members that are null, unknown or the server's to assign are left
 * out, an id of digits in a string is a number (contract 2.5).
 *
 * @throws FindlingError `invalid_request`
 */
export function parseKeyBody(body: unknown): KeyDraft {
  const object = asWireObject(body ?? {});
  if (object === undefined) {
    throw new FindlingError("invalid_request", `the body must be an object, not ${describeKind(body)}`);
  }
  const present = withoutNulls(object);
  checkShape(keyUpdateBodySchema, present, "invalid_request");
  const draft: Record<string, unknown> = {};
  for (const name of DRAFT_MEMBERS) {
    if (Object.hasOwn(present, name)) draft[name] = settled(name, present);
  }
  return draft;
}

function settled(name: (typeof DRAFT_MEMBERS)[number], present: WireObject): unknown {
  const value = present[name];
  switch (name) {
    case "organization_id":
    case "application_id":
      return settledId(value);
    case "allowed_indexes":
      return [...new Set(value as readonly string[])];
    default:
      return value;
  }
}

/** A string that is the plain decimal form of a number becomes that number: `7`, but not `007`. */
function settledId(value: unknown): unknown {
  if (typeof value !== "string" || !/^[0-9]+$/.test(value)) return value;
  const number = Number(value);
  return Number.isSafeInteger(number) && String(number) === value ? number : value;
}
