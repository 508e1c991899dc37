import type { FederatedIndex, Federation } from "../../contract/federation.js";
import type { FederatedIndexDraft, FederationDraft } from "../../contract/federation-bodies.js";
import { nearestNameAdvice } from "../../contract/nearest-name.js";
import { FindlingError } from "../../errors/index.js";
import { isIndexName } from "../indexes/index-name.js";

/** `GET /federation/organization/:organization_id` is a route of its own. */
const RESERVED_NAME = "organization";

const WEIGHT_DEFAULT = 1;

/** @throws FindlingError `invalid_federation` for a name that contract 3.8 forbids */
export function requireFederationName(name: string | undefined): string {
  if (name === undefined) throw invalid("name", "'name', the name of the federation, is missing");
  if (name === RESERVED_NAME) {
    throw invalid("name", `'${RESERVED_NAME}' can't be the name of a federation, take another one`);
  }
  if (!isIndexName(name)) {
    throw invalid(
      "name",
      "the name of a federation starts with a letter or digit, has at most 128 letters, digits, '_' and '-', and is not 'stats'",
    );
  }
  return name;
}

export interface FederationContext {
  readonly name: string;
  /** The federation that is replaced; its creation is kept. */
  readonly existing: Federation | undefined;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  readonly indexNames: readonly string[];
}

/**
 * A whole federation: what the draft leaves out has its default, also where there was another value.
 *
 * @throws FindlingError `invalid_federation`
 */
export function completeFederation(draft: FederationDraft, context: FederationContext): Federation {
  const { name, existing, nowMs, indexNames } = context;
  const now = timestamp(nowMs);
  const createdBy = draft.created_by?.toString() ?? existing?.created_by;
  return {
    name,
    friendly_name: draft.friendly_name ?? name,
    created_at: existing?.created_at ?? now,
    ...(createdBy === undefined ? {} : { created_by: createdBy }),
    last_modified: now,
    ...(draft.last_modified_by === undefined ? {} : { last_modified_by: draft.last_modified_by.toString() }),
    ...(draft.organization_id === undefined ? {} : { organization_id: draft.organization_id.toString() }),
    index_configurations: completeMembers(draft.index_configurations, indexNames, existing),
  };
}

function completeMembers(
  drafts: readonly FederatedIndexDraft[],
  indexNames: readonly string[],
  existing: Federation | undefined,
): readonly FederatedIndex[] {
  // Also those that have been deleted since: what was read can be written back.
  const known = new Set([...indexNames, ...(existing?.index_configurations ?? []).map(({ name }) => name)]);
  const seen = new Set<string>();
  return drafts.map(({ name, weight_multiplier }, i) => {
    const path = `index_configurations[${i}].name`;
    if (!known.has(name)) {
      const advice = nearestNameAdvice(name, indexNames);
      throw invalid(path, `'${path}': index '${name}' does not exist${advice}`);
    }
    if (seen.has(name)) throw invalid(path, `'${path}': index '${name}' is named twice`);
    seen.add(name);
    return { name, weight_multiplier: weight_multiplier ?? WEIGHT_DEFAULT };
  });
}

/** RFC 3339 in UTC, to the microsecond as other implementations write it. */
function timestamp(nowMs: number): string {
  return new Date(nowMs).toISOString().replace("Z", "000Z");
}

function invalid(path: string, message: string): FindlingError {
  return new FindlingError("invalid_federation", message, { items: [{ path, message }] });
}
