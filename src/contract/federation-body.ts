import { checkShape } from "./check-shape.js";
import { type FederationDraft, federationBodySchema } from "./federation-bodies.js";
import { requireObject } from "./invalid-member.js";
import { asWireObject, memberOf, type WireObject, withoutNulls } from "./wire-object.js";

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
  const draft = settledDraft(requireObject(body ?? {}));
  checkShape(federationBodySchema, draft, "invalid_federation");
  return draft;
}

/** What a body is about, whether or not the rest of it is as it must be: for what the caller may do with it. */
export interface ClaimedFederation {
  readonly name: string | undefined;
  readonly indexNames: readonly string[];
}

/** Everything that `parseFederationBody` would take from the same body as a name. */
export function claimedFederation(body: unknown): ClaimedFederation {
  const { name, index_configurations: members } = settledDraft(asWireObject(body ?? {}) ?? {});
  const names = Array.isArray(members)
    ? members.map((member: unknown) => asWireObject(member)?.["name"])
    : [];
  return {
    name: typeof name === "string" ? name : undefined,
    indexNames: names.filter((each) => typeof each === "string"),
  };
}

/** The members that count, of whatever types they are. */
function settledDraft(object: WireObject): Partial<Record<keyof FederationDraft, unknown>> {
  const draft: Partial<Record<keyof FederationDraft, unknown>> = {};
  for (const name of DRAFT_MEMBERS) {
    const value = memberOf(object, name);
    if (value !== undefined) draft[name] = name === "index_configurations" ? settledMembers(value) : value;
  }
  return draft;
}

function settledMembers(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((member: unknown) => {
    const object = asWireObject(member);
    return object === undefined ? member : withoutNulls(object);
  });
}
