import { FindlingError } from "../errors/index.js";
import { checkShape } from "./check-shape.js";
import { type FederationDraft, federationBodySchema } from "./federation-bodies.js";
import { asWireObject, describeKind, memberOf, withoutNulls } from "./wire-object.js";

/** What a caller may set; `created_at` and `last_modified` are the server's, whatever comes for them. */
const DRAFT_MEMBERS = [
  "name",
  "friendly_name",
  "index_configurations",
  "organization_id",
  "created_by",
  "last_modified_by",
] as const satisfies readonly (keyof FederationDraft)[];

/**
 * The federation of a POST or PUT body: every member has its type, nulls and unknown members are gone.
 *
 * @throws FindlingError `invalid_request` if the body is no object, `invalid_federation` naming the place
 */
export function parseFederationBody(body: unknown): FederationDraft {
  const object = asWireObject(body ?? {});
  if (object === undefined) {
    throw new FindlingError("invalid_request", `the body must be an object, not ${describeKind(body)}`);
  }
  const draft: Partial<Record<keyof FederationDraft, unknown>> = {};
  for (const name of DRAFT_MEMBERS) {
    const value = memberOf(object, name);
    if (value !== undefined) draft[name] = name === "index_configurations" ? settledMembers(value) : value;
  }
  checkShape(federationBodySchema, draft, "invalid_federation");
  return draft;
}

function settledMembers(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((member: unknown) => {
    const object = asWireObject(member);
    return object === undefined ? member : withoutNulls(object);
  });
}
