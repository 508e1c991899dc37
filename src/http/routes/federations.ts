import type { FederationService } from "../../services/federations/federation-service.js";
import { parameter, type RouteHandlers } from "../route-handler.js";

type FederationOperation =
  | "listFederations"
  | "listFederationsOfOrganization"
  | "getFederation"
  | "getFederationStats"
  | "createFederation"
  | "replaceFederation"
  | "deleteFederation";

export function federationRoutes(federations: FederationService): Pick<RouteHandlers, FederationOperation> {
  return {
    listFederations: () => federations.list(),
    listFederationsOfOrganization: (call) =>
      federations.listOfOrganization(parameter(call, "organization_id")),
    getFederation: (call) => federations.get(parameter(call, "federation_name")),
    getFederationStats: (call) => federations.stats(parameter(call, "federation_name")),
    createFederation: (call) => federations.create(call.body),
    replaceFederation: (call) => federations.replace(parameter(call, "federation_name"), call.body),
    deleteFederation: (call) => federations.delete(parameter(call, "federation_name")),
  };
}
