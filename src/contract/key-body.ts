import { FindlingError } from "../errors/index.js";
import { checkShape } from "./check-shape.js";
import { requireObject } from "./invalid-member.js";
import { type KeyDraft, keyUpdateBodySchema } from "./key-bodies.js";
import { parseInstant } from "./values/parse-instant.js";
import { type WireObject, withoutNulls } from "./wire-object.js";

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
  "expires_at",
] as const satisfies readonly (keyof KeyDraft)[];

/** A draft whose instants are RFC 3339 in UTC. */
export type SettledDraft = KeyDraft & { readonly expires_at?: string | null };

/**
 * What the body sets of a key: members that are null, unknown or the server's to assign are left
 * out, but for an expiry, which null takes away; an id of digits in a string is a number (contract 2.5).
 *
 * @throws FindlingError `invalid_request`
 */
export function parseKeyBody(body: unknown): SettledDraft {
  const object = requireObject(body ?? {});
  const present = withoutNulls(object);
  const isEndless = Object.hasOwn(object, "expires_at") && object["expires_at"] === null;
  checkShape(keyUpdateBodySchema, present, "invalid_request");
  const draft: Record<string, unknown> = {};
  for (const name of DRAFT_MEMBERS) {
    if (Object.hasOwn(present, name)) draft[name] = settled(name, present);
  }
  if (isEndless) draft["expires_at"] = null;
  return draft;
}

function settled(name: (typeof DRAFT_MEMBERS)[number], present: WireObject): unknown {
  const value = present[name];
  switch (name) {
    case "organization_id":
    case "application_id":
      return settledId(value);
    case "expires_at":
      return settledInstant(value as string | number);
    case "allowed_indexes":
      return [...new Set(value as readonly string[])];
    default:
      return value;
  }
}

function settledInstant(value: string | number): string {
  const instant = parseInstant(value);
  if (instant !== null) return new Date(instant).toISOString();
  throw new FindlingError(
    "invalid_request",
    `'expires_at' must be RFC 3339 with a zone, YYYY-MM-DD or Unix seconds, not '${value}'`,
  );
}

/** A string that is the plain decimal form of a number becomes that number: `7`, but not `007`. */
function settledId(value: unknown): unknown {
  if (typeof value !== "string" || !/^[0-9]+$/.test(value)) return value;
  const number = Number(value);
  return Number.isSafeInteger(number) && String(number) === value ? number : value;
}
