import { PERMISSION } from "../access-key.js";
import { sentenceAnswer } from "../envelope.js";
import {
  federationBodySchema,
  federationListSchema,
  federationSchema,
  federationStatsSchema,
} from "../federation-bodies.js";
import type { RouteRow } from "./route-row.js";
import { PLAIN, permission } from "./route-rules.js";

const ON_FEDERATIONS = { ...PLAIN, tag: "Federations", access: permission(PERMISSION.ADMIN) } as const;
const ON_ONE_FEDERATION = { ...ON_FEDERATIONS, scope: "federation_indexes" } as const;

export const FEDERATION_ROUTES: readonly RouteRow[] = [
  {
    ...ON_FEDERATIONS,
    operationId: "listFederations",
    method: "GET",
    path: "/federation",
    summary: "Lists the federations whose indexes are all in the key's scope",
    scope: "filtered",
    answer: federationListSchema,
  },
  {
    ...ON_FEDERATIONS,
    operationId: "createFederation",
    method: "POST",
    path: "/federation",
    summary: "Creates a federation, or replaces the one of that name",
    scope: "body_index",
    body: federationBodySchema,
    answer: federationSchema,
    errors: ["invalid_federation"],
  },
  {
    ...ON_FEDERATIONS,
    operationId: "listFederationsOfOrganization",
    method: "GET",
    path: "/federation/organization/:organization_id",
    summary: "Lists an organization's federations for which it has a key that may search them",
    scope: "filtered",
    answer: federationListSchema,
  },
  {
    ...ON_ONE_FEDERATION,
    operationId: "getFederation",
    method: "GET",
    path: "/federation/:federation_name",
    summary: "Reads a federation",
    answer: federationSchema,
    mirrored: true,
    errors: ["federation_not_found"],
  },
  {
    ...ON_ONE_FEDERATION,
    operationId: "getFederationStats",
    method: "GET",
    path: "/federation/:federation_name/stats",
    summary: "Counts the committed documents of a federation's indexes",
    answer: federationStatsSchema,
    mirrored: true,
    errors: ["federation_not_found"],
  },
  {
    ...ON_ONE_FEDERATION,
    operationId: "replaceFederation",
    method: "PUT",
    path: "/federation/:federation_name",
    summary: "Replaces a federation",
    body: federationBodySchema,
    answer: federationSchema,
    errors: ["federation_not_found", "invalid_federation"],
  },
  {
    ...ON_ONE_FEDERATION,
    operationId: "deleteFederation",
    method: "DELETE",
    path: "/federation/:federation_name",
    summary: "Deletes a federation and leaves its indexes",
    answer: sentenceAnswer("federation deleted"),
    errors: ["federation_not_found"],
  },
];
